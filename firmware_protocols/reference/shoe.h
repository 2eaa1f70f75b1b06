/* shoe-v1 on the device's side: which command is lawful when, decks, door, gate, faults.
 *
 * The feed path itself is feed.c. Both know the machine only through hal.h and the host only through link.h.
 */
#ifndef SHOE_H
#define SHOE_H
#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/* Start everything: memory, link, shoe. `cause` is BOOT_CAUSE_. Call shoe_tick in a loop, after link_receive. */
void shoe_start(uint8_t cause);
void shoe_tick(void);

/* --- faults (faults.c) */
void fault_raise(uint16_t code); /* FAULT_RAISED, unless it is raised already */
void fault_gone(uint16_t code);  /* FAULT_CLEARED, unless it is not raised */
bool fault_raised(uint16_t code);
bool fault_stops(void); /* a fault is raised that stops the motor (SHOE-8.2) */
uint8_t fault_severity(uint16_t code);
void faults_restart(void); /* forget what a restart ends (SHOE-8.4) */

/* --- the feed path (feed.c) */
enum { STOP_NOT = 0, STOP_FAULT = 0x80 }; /* else INTERRUPT_CAUSE_ */
bool feed_running(void);
bool feed_counting(void);
uint8_t feed_seen(void);           /* cards of the running command that have passed the exit sensor */
void feed_order(uint8_t cards);    /* begin with the row that was added last; 0: count the deck */
void feed_stop(uint8_t cause);     /* at the next safe point; the first cause stands */
void feed_stop_for_fault(uint16_t fault);
void feed_stop_at_once(void);      /* the door (SHOE-7.5) */
void feed_tick(void);
void feed_restart(void);

/* What became of the newest command was written to its row: make it so, and tell the host (feed.c calls it, and the
 * start for what a power cut left written and not told). */
void shoe_conclude(void);
void shoe_card_unexpected(void);
#endif
