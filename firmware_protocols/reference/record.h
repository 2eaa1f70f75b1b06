/* What survives power loss, in 1024 bytes: the state record, twice, and the last 64 commands.
 *
 * The record is written to one of its two places in turn, with a count and a check, so that a cut in the middle leaves
 * the other. A command has a row; the id and the rest of the row have a check each, so that a cut while the outcome is
 * written cannot make an id look as if it had never been seen (SHOE-3.2 to SHOE-3.5).
 */
#ifndef RECORD_H
#define RECORD_H
#include <stdbool.h>
#include <stdint.h>

#include "spec.h"

#ifndef RING_SIZE
#define RING_SIZE 16u /* events; 128 for live use (LINK-7.2) */
#endif
#ifndef RING_KEPT
#define RING_KEPT 0 /* whether the ring itself survives power loss; a bench device may lose it */
#endif

enum { RAISED_MAX = 6, BODY_MAX = 15, NO_ROW = 0xFF, UNKNOWN = 0xFF };

typedef struct {
  uint64_t last_event, consumed_event;
  uint32_t boot_counter, deck_id, stacks_total, cards_total, misfeeds_total, faults_total;
  uint16_t raised[RAISED_MAX]; /* faults, the oldest first, 0 behind them */
  uint8_t session;
  uint8_t deck_state, cards_left, next_slot; /* cards_left UNKNOWN: the shoe does not know */
  uint8_t gate_row, gate_cards;              /* the command that fed the gate, what it put there */
  uint8_t told_row;                          /* the command whose outcome has become an event */
} record_t;

extern record_t record;

typedef struct {
  uint64_t id;
  uint8_t outcome;     /* OUTCOME_RUNNING, _DONE, _FAILED, _INTERRUPTED */
  uint8_t cause;       /* why interrupted: INTERRUPT_CAUSE_ */
  bool prepare, taken, in_sensor, unknown;
  uint8_t ordered, seen;
  uint8_t first_slot;  /* of a PREPARE_DECK: the count */
  uint16_t fault;
} command_t;

typedef struct { /* the id follows from the place in the ring */
  uint32_t boot_counter, uptime_ms;
  uint8_t type, size, body[BODY_MAX];
} event_t;

/* Read everything at a start. False when both places of the record are spoiled: the record is then as from the factory. */
bool record_load(void);
void record_commit(void);

/* The row of the highest id, NO_ROW when there is none; its command. */
extern uint8_t newest_row;
uint64_t last_command(void);
void row_add(uint64_t id, bool prepare, uint8_t ordered, uint8_t first_slot);
/* False when the row holds no command. A row whose second half is spoiled reads as interrupted, count unknown. */
bool row_read(uint8_t row, command_t *command);
void row_write(uint8_t row, const command_t *command); /* all but the id */
uint8_t row_find(uint64_t id);

#if RING_KEPT
void ring_store(uint64_t id, const event_t *event);
bool ring_restore(uint64_t id, event_t *event); /* false when it is not there */
#endif
#endif
