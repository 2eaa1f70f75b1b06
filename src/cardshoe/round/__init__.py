"""The round as a pure state machine over the rules of `games`.

Events in, state and effects out; no time, no devices, no journal. Start at `machine.apply`, `next_step.next_step` and
`records`.
"""
