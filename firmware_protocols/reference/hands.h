/* Hands at the bench, from outside: requests of the control socket, {"do": "take_stack"} and the like.
 *
 * For the host build only. Faults and acts never come over the device's own line.
 */
#ifndef HANDS_H
#define HANDS_H
#include <stdbool.h>
#include <stdint.h>

/* Do what a request (JSON, one line) asks; write the answer (JSON, one line). Unknown requests answer "ok": false. */
void hands_do(const char *request, char *answer, unsigned size);

/* Power and restarts, which the program around the firmware must bring about. */
enum { CUT_NONE, CUT_RECORDED, CUT_ACCEPTED, CUT_COVERED, CUT_READY };
typedef struct {
  bool on;
  uint8_t restart;          /* BOOT_CAUSE_ that is asked for, 0 for none; the program sets it back */
  uint8_t cut_at, cut_card; /* where the power goes, once */
  uint32_t on_after_ms;     /* and how long until it comes back */
} power_t;
extern power_t power;
#endif
