/* Owns the motor and the feed path: one command at a time, from acceptance to its outcome in the command's row.
 *
 * Clauses SHOE-3.2, SHOE-4.3 to SHOE-4.7, SHOE-4.10, SHOE-5.1, SHOE-6.3, SHOE-7.5. Each card's passage is written down before the
 * next one moves, so that a start after a power cut knows how many came (SHOE-4.9). Does not know why it is told to stop.
 */
#include "hal.h"
#include "shoe.h"
#include "wire.h"

#ifndef SETTLE_MS
#define SETTLE_MS 60u /* after the last card: one that clung to it has come by then */
#endif
enum {
  STUCK_MS = 2500, /* a card that takes longer does not move; below SHOE-4.3's 3000 */
  BACK_MS = 1000,
  COUNTED_MS = 400 /* no card has passed for so long: the count is over */
};

typedef enum { AT_REST, ORDERED, FEEDING, SETTLING, GOING_BACK, COUNTING } phase_t;

static struct {
  phase_t phase;
  uint8_t wanted, counted, stop;
  bool covered; /* a card lies in the exit sensor */
  uint16_t fault;
  uint32_t since;
  command_t command;
} feed;

bool feed_running(void) { return feed.phase != AT_REST; }

bool feed_counting(void) { return feed.phase != AT_REST && feed.command.prepare; }

uint8_t feed_seen(void) { return feed.phase != AT_REST ? feed.command.seen : 0; }

static void enter(phase_t phase) {
  feed.phase = phase;
  feed.since = hal_now_ms();
}

static bool lasts(uint16_t limit_ms) { return hal_now_ms() - feed.since >= limit_ms; }

void feed_order(uint8_t cards) {
  row_read(newest_row, &feed.command);
  feed.wanted = cards;
  feed.counted = 0;
  feed.stop = STOP_NOT;
  feed.fault = 0;
  feed.covered = false;
  enter(ORDERED);
}

void feed_restart(void) { feed.phase = AT_REST; }

/* Write the outcome, then make it so. */
static void finish(uint8_t outcome) {
  hal_motor(MOTOR_OFF);
  feed.command.outcome = outcome;
  feed.command.in_sensor = false;
  feed.command.fault = outcome == OUTCOME_FAILED ? feed.fault : 0;
  feed.command.cause = feed.stop;
  row_write(newest_row, &feed.command);
  enter(AT_REST);
  shoe_conclude();
}

static void fail(uint16_t fault) {
  hal_motor(MOTOR_OFF);
  feed.fault = fault;
  record.misfeeds_total++;
  fault_raise(fault);
  finish(OUTCOME_FAILED);
}

static void finish_stopped(void) {
  if (feed.stop == STOP_FAULT) finish(OUTCOME_FAILED);
  else finish(OUTCOME_INTERRUPTED);
}

/* The feed has come to rest: what came of it? */
static void settle_account(void) {
  feed.command.unknown = feed.covered;
  if (feed.command.seen > feed.wanted) fail(FAULT_DOUBLE_FEED);
  else if (feed.command.seen == feed.wanted) finish(OUTCOME_DONE);
  else finish_stopped();
}

static void card_came(void) {
  feed.covered = false;
  feed.command.in_sensor = false;
  if (feed.command.seen < 15) feed.command.seen++; /* four bits of a row; no gate holds more */
  row_write(newest_row, &feed.command);
  feed.since = hal_now_ms();
  if (feed.phase != FEEDING) return;
  if (feed.command.seen < feed.wanted && feed.stop == STOP_NOT) return;
  hal_motor(MOTOR_OFF);
  enter(SETTLING);
}

static void take_edge(uint8_t edge) {
  if (feed.phase == AT_REST || feed.phase == ORDERED) {
    if (edge == EDGE_EXIT_OFF) shoe_card_unexpected();
    return;
  }
  if (feed.phase == COUNTING) {
    if (edge == EDGE_ENTRY_ON && feed.counted < 254) feed.counted++;
    feed.since = hal_now_ms();
    return;
  }
  if (edge == EDGE_EXIT_ON) {
    feed.covered = feed.command.in_sensor = true;
    row_write(newest_row, &feed.command);
    feed.since = hal_now_ms();
  } else if (edge == EDGE_EXIT_OFF) {
    card_came();
  }
}

void feed_stop(uint8_t cause) {
  if (feed.phase == AT_REST || feed.stop != STOP_NOT) return;
  feed.stop = cause;
  if (feed.phase == FEEDING && !feed.covered) { /* SHOE-4.7: what has not reached the exit goes back */
    hal_motor(MOTOR_BACK);
    enter(GOING_BACK);
  } else if (feed.phase == COUNTING || feed.phase == ORDERED) {
    finish_stopped();
  }
}

void feed_stop_for_fault(uint16_t fault) {
  if (feed.phase == AT_REST || feed.stop != STOP_NOT) return;
  feed.fault = fault;
  feed_stop(STOP_FAULT);
}

void feed_stop_at_once(void) {
  if (feed.phase == AT_REST) return;
  hal_motor(MOTOR_OFF);
  feed.stop = INTERRUPT_CAUSE_DOOR;
  feed.command.unknown = feed.covered;
  if (!feed.command.prepare && feed.command.seen >= feed.wanted && !feed.covered) settle_account();
  else finish(OUTCOME_INTERRUPTED);
}

static uint16_t why_stuck(void) {
  uint8_t sense = hal_sense();
  if (feed.covered) return FAULT_EXIT_BLOCKED;
  if (sense & SENSE_ENTRY) return FAULT_JAM;
  return sense & SENSE_MAGAZINE ? FAULT_SHORT_FEED : FAULT_EMPTY;
}

static void start(void) {
  if (!hal_sent()) return; /* only after the reply has left (SHOE-3.2) */
  if (feed.command.prepare) {
    hal_motor(MOTOR_COUNT);
    enter(COUNTING);
  } else {
    hal_motor(MOTOR_FEED);
    enter(FEEDING);
  }
}

void feed_tick(void) {
  for (uint8_t edge; (edge = hal_edge()) != EDGE_NONE;) take_edge(edge);
  switch (feed.phase) {
    case AT_REST:
      break;
    case ORDERED:
      start();
      break;
    case FEEDING:
      if (lasts(STUCK_MS)) {
        feed.command.unknown = feed.covered;
        fail(why_stuck());
      }
      break;
    case SETTLING:
      if (!feed.covered && lasts(SETTLE_MS)) settle_account();
      else if (lasts(STUCK_MS)) fail(FAULT_EXIT_BLOCKED);
      break;
    case GOING_BACK:
      if (!(hal_sense() & SENSE_ENTRY)) {
        hal_motor(MOTOR_OFF);
        enter(SETTLING);
      } else if (lasts(BACK_MS)) {
        fail(FAULT_JAM);
      }
      break;
    case COUNTING:
      if (lasts(COUNTED_MS)) {
        feed.command.first_slot = feed.counted;
        feed.fault = FAULT_DECK_COUNT_WRONG;
        finish(feed.counted == 52 ? OUTCOME_DONE : OUTCOME_FAILED);
      }
      break;
  }
}
