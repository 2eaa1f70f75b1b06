"""Speed beside its floor: a figure is worth little, its ratio to the least that can be done in one run much.

figures      what a figure is, and its target       wire_speed   frames to messages, damaged frames
link_speed   request and reply over a pty           journal_speed   commits, and a report's way to the next command
start_speed  commands and a table that idles        round_speed  rounds and recomputed hands
responder    the least that can answer a request, as a process of its own
"""
