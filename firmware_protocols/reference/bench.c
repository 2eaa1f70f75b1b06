/* Owns the cards and their time (bench.h); implements hal_motor, hal_edge, hal_sense, hal_mode, hal_service. */
#include "bench.h"

#include "hal.h"

/* Where the card that moves is, and the edge that comes when it gets there. */
enum { NOWHERE, LEAVING, AT_ENTRY, AT_EXIT, CLINGING, CLUNG, FALLING, FALLEN };
enum { ACT_STEP_MS = 100, BETWEEN_DECKS = 10 }; /* so many times hand_ms before a new deck goes in */

bench_t bench;

#ifdef BENCH_WRONG_WIDTH
typedef unsigned random_t; /* a mistake on purpose: 16 bits on an AVR */
#else
typedef uint32_t random_t;
#endif
static random_t state;

static uint8_t random_byte(void) {
  state = (random_t)(state * 1664525ul + 1013904223ul);
  return (uint8_t)(state >> (8 * sizeof state - 8)); /* the top byte: the low ones are hardly random */
}

void bench_start(void) {
  state = (random_t)bench.seed;
  bench.magazine = BENCH_DECK;
  bench.gate = bench.motor = bench.mode = bench.conditions = 0;
  bench.door_open = bench.service = false;
  bench.mishap = bench.act = bench.at = 0;
  bench.feeds = bench.stacks = bench.cards_out = 0;
}

static bool due(uint32_t when) { return (int32_t)(bench_now_ms() - when) >= 0; }

/* --- the motor */

static uint16_t part(uint8_t tenths) { return (uint16_t)((uint32_t)bench.card_ms * tenths / 10); }

static void begin_feed(void) {
  bench.feeds++;
  bench.fed = 0;
  if (bench.doubles_in_256 && random_byte() < bench.doubles_in_256) {
    bench.mishap = MISHAP_DOUBLE;
    bench.mishap_card = (uint8_t)(random_byte() % 2 + 1);
  }
  if (bench.at == NOWHERE) bench.at = LEAVING;
}

void hal_motor(uint8_t motor) {
  if (motor == bench.motor) return;
  uint8_t before = bench.motor;
  bench.motor = motor;
  if (bench.at < CLINGING) bench.due = bench_now_ms() + part(3); /* what slides by itself does not ask the motor */
  bench.hand_due = bench_now_ms() + bench.hand_ms;
  if (motor == MOTOR_FEED) begin_feed();
  if (motor == MOTOR_COUNT) {
    if (bench.at == AT_ENTRY) bench.magazine++;
    bench.at = NOWHERE;
    bench.fed = 0;
    bench.due = bench_now_ms() + bench.count_ms;
  }
  if (motor == MOTOR_BACK) bench.due = bench_now_ms() + part(2);
  if (motor != MOTOR_FEED && bench.at == LEAVING) bench.at = NOWHERE;
  if (motor == MOTOR_OFF && before == MOTOR_FEED && bench.fed) bench.stacks++;
}

void bench_power(void) { hal_motor(MOTOR_OFF); }

static bool mishap_now(uint8_t mishap) { return bench.mishap == mishap && bench.fed + 1 == bench.mishap_card; }

static void into_the_gate(void) {
  bench.gate++;
  bench.fed++;
  bench.cards_out++;
  bench.hand_due = bench_now_ms() + bench.hand_ms;
}

static uint8_t leave_exit(void) {
  bool clings = mishap_now(MISHAP_DOUBLE) && bench.magazine > 0;
  into_the_gate();
  bench.at = LEAVING;
  bench.due += part(4);
  if (clings) {
    bench.mishap = MISHAP_NONE;
    bench.magazine--;
    bench.at = CLINGING;
    bench.due = bench_now_ms() + 2;
  } else if (bench.motor != MOTOR_FEED) {
    bench.at = NOWHERE;
  }
  return EDGE_EXIT_OFF;
}

/* The card that moves gets one step further. */
static uint8_t step_card(void) {
  switch (bench.at) {
    case LEAVING:
      if (bench.magazine == 0 || mishap_now(MISHAP_SHORT)) return EDGE_NONE;
      bench.magazine--;
      bench.at = AT_ENTRY;
      bench.due += part(3);
      return EDGE_ENTRY_ON;
    case AT_ENTRY:
      if (mishap_now(MISHAP_JAM)) return EDGE_NONE;
      bench.at = AT_EXIT;
      bench.due += part(3);
      return EDGE_EXIT_ON;
    case AT_EXIT: return leave_exit();
    default: return EDGE_NONE;
  }
}

/* What slides without the motor: the card that clung to another, the card that falls out. */
static uint8_t slide(void) {
  bench.due = bench_now_ms() + 2;
  if (bench.at == CLINGING || bench.at == FALLING) {
    bench.at++;
    return EDGE_EXIT_ON;
  }
  into_the_gate();
  bench.at = bench.motor == MOTOR_FEED ? LEAVING : NOWHERE;
  bench.due = bench_now_ms() + part(4);
  return EDGE_EXIT_OFF;
}

static uint8_t count_card(void) {
  if (bench.fed >= bench.magazine) return EDGE_NONE;
  bench.fed++;
  bench.due += bench.count_ms;
  return EDGE_ENTRY_ON;
}

/* --- hands */

void bench_act(uint8_t act) {
  bench.act = act;
  bench.act_step = 0;
  bench.act_due = bench_now_ms();
}

void bench_card_falls_out(void) {
  if (bench.magazine == 0 || bench.at != NOWHERE) return;
  bench.magazine--;
  bench.at = FALLING;
  bench.due = bench_now_ms();
}

/* Open, take out, put in, close: a step at a time, so that each is seen. */
static void go_on_with_act(void) {
  if (bench.act == ACT_NONE || !due(bench.act_due)) return;
  bench.act_due = bench_now_ms() + ACT_STEP_MS;
  switch (bench.act_step++) {
    case 0: bench.door_open = true; break;
    case 1: bench.magazine = 0; break;
    case 2: bench.magazine = bench.act == ACT_REPLACE ? BENCH_DECK : 0; break;
    default:
      bench.door_open = false;
      bench.act = ACT_NONE;
  }
}

static void lend_a_hand(void) {
  if (bench.hand_ms == 0 || bench.motor != MOTOR_OFF || bench.at != NOWHERE || !due(bench.hand_due)) return;
  if (bench.gate > 0) {
    bench.gate = 0;
    bench.hand_due = bench_now_ms() + (uint32_t)bench.hand_ms * BETWEEN_DECKS;
  } else if (bench.magazine < BENCH_LOW && bench.act == ACT_NONE) {
    bench_act(ACT_REPLACE);
  }
}

/* --- what the firmware sees */

uint8_t hal_edge(void) {
  if (!due(bench.due)) return EDGE_NONE;
  if (bench.at >= CLINGING) return slide();
  if (bench.motor == MOTOR_FEED) return step_card();
  if (bench.motor == MOTOR_COUNT) return count_card();
  if (bench.motor == MOTOR_BACK && bench.at == AT_ENTRY && !mishap_now(MISHAP_JAM)) {
    bench.magazine++;
    bench.at = NOWHERE;
  }
  return EDGE_NONE;
}

uint8_t hal_sense(void) {
  go_on_with_act();
  lend_a_hand();
  uint8_t sense = bench.conditions;
  if (bench.door_open) sense |= SENSE_DOOR_OPEN;
  if (bench.magazine) sense |= SENSE_MAGAZINE;
  if (bench.at == AT_ENTRY) sense |= SENSE_ENTRY;
  if (bench.at == AT_EXIT || bench.at == CLUNG || bench.at == FALLEN) sense |= SENSE_EXIT;
  if (bench.gate) sense |= SENSE_GATE;
  return sense;
}

uint8_t hal_mode(void) { return bench.mode; }

bool hal_service(void) {
  bool pressed = bench.service;
  bench.service = false;
  return pressed;
}
