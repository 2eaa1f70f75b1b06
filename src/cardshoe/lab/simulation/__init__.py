"""Deterministic simulation: whole tables under one virtual clock and one seed, with a checker that watches every step.

troubles   what goes wrong, drawn from the seed        watched   the world, whose motor and cards can be watched
stack      controller, drivers, disk and world, killed and restarted in virtual time
people     a dealer who is hasty, slow or wrong, players, a supervisor who answers in every lawful way
wire       what was said on the lines, read by the simulator's own codec
book       what is durable, as the checker counts it   checker   the promises   money   payouts, recomputed
runs       one seed from beginning to end              shrink    the smallest run that still breaks a promise
"""
