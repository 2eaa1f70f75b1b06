/* Owns the list of raised faults, the oldest first; clauses SHOE-8.1 to SHOE-8.4. */
#include "hal.h"
#include "link.h"
#include "shoe.h"
#include "wire.h"

enum { NOT_LISTED = 0xFF };

/* Severity in the low bits, bit 7 when the motor stops; NOT_LISTED for a code that faults.toml does not know. */
static uint8_t look_up(uint16_t code) {
  switch (code) {
#define ROW(number, severity, stops) \
  case number: return (uint8_t)(severity | (stops ? 0x80u : 0u));
    FAULT_TABLE(ROW)
#undef ROW
    default: return NOT_LISTED;
  }
}

static uint8_t place_of(uint16_t code) {
  for (uint8_t i = 0; i < RAISED_MAX; i++)
    if (code && record.raised[i] == code) return i;
  return RAISED_MAX;
}

uint8_t fault_severity(uint16_t code) { return look_up(code) & 0x7F; }

bool fault_raised(uint16_t code) { return place_of(code) < RAISED_MAX; }

bool fault_stops(void) {
  for (uint8_t i = 0; i < RAISED_MAX; i++)
    if (record.raised[i] && look_up(record.raised[i]) & 0x80) return true;
  return false;
}

static void take_out(uint8_t place) {
  for (; place + 1 < RAISED_MAX; place++) record.raised[place] = record.raised[place + 1];
  record.raised[RAISED_MAX - 1] = 0;
}

void fault_raise(uint16_t code) {
  if (fault_raised(code)) return;
  uint8_t place = 0, body[3];
  while (place < RAISED_MAX && record.raised[place]) place++;
  if (place == RAISED_MAX) take_out(--place); /* more than this machine can have; the newest stands */
  record.raised[place] = code;
  record.faults_total++;
  put_u8(put_u16(body, code), 0);
  link_event(MSG_FAULT_RAISED, body, sizeof body);
}

void fault_gone(uint16_t code) {
  uint8_t place = place_of(code), body[2];
  if (place == RAISED_MAX) return;
  take_out(place);
  put_u16(body, code);
  link_event(MSG_FAULT_CLEARED, body, sizeof body);
}

void faults_restart(void) {
  for (uint8_t i = 0; i < RAISED_MAX && record.raised[i];) {
    if (fault_severity(record.raised[i]) >= SEVERITY_VOID) i++;
    else take_out(i);
  }
}
