/* A mechanism that is not there: cards in a magazine, a feed path that takes its time, a hand that takes the stack.
 *
 * Implements the motor and the sensors of hal.h, so that the firmware deals with no hardware. The same seed gives the same
 * mishaps on every machine. One edge at a time, each at its own moment: what the firmware sees does not depend on how
 * often it looks.
 */
#ifndef BENCH_H
#define BENCH_H
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_DECK = 52, BENCH_LOW = 7 }; /* fewer than LOW are left: the hand puts a new deck in */
enum { MISHAP_NONE, MISHAP_JAM, MISHAP_DOUBLE, MISHAP_SHORT };
enum { ACT_NONE, ACT_REMOVE, ACT_REPLACE }; /* by the door: take the stub out, or put a new deck in */

typedef struct {
  uint16_t card_ms, count_ms; /* a card from the magazine to the gate; a card that is counted */
  uint16_t hand_ms;           /* the hand takes the stack so long after the motor stopped; 0: nobody does */
  uint8_t doubles_in_256;     /* of so many feeds one card clings to another */
  uint32_t seed;

  uint8_t magazine, gate, motor, mode, conditions; /* conditions: SENSE_HOT, _BATTERY_LOW, _BROKEN */
  bool door_open, service;
  uint8_t mishap, mishap_card; /* mishap_card: which card of the next feed */
  uint32_t feeds, stacks, cards_out;

  uint8_t act, act_step, at, fed, edge; /* at: where the moving card is */
  uint32_t due, act_due, hand_due;
} bench_t;

extern bench_t bench;

uint32_t bench_now_ms(void); /* the mechanism's own clock: a restart of the firmware does not set it back */
void bench_start(void); /* a full magazine, everything shut; the times and the seed stay */
void bench_power(void); /* the motor has no current: what moved stands still */
void bench_act(uint8_t act);
void bench_card_falls_out(void); /* a card slides from the magazine into the gate by itself */
#endif
