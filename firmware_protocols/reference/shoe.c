/* Owns decks, gate and door, the legality of commands, and the order of things at a start (shoe.h); SHOE-2 to SHOE-8. */
#include "shoe.h"

#include "hal.h"
#include "link.h"
#include "wire.h"

#ifndef FIRMWARE_MODEL
#define FIRMWARE_MODEL "REF-BENCH"
#endif
enum { DECK = 52 };

static struct {
  uint8_t sense, mode;
  bool inhibited, void_deck; /* void_deck: the restart ended a command */
  uint64_t lease_lost;       /* the command of the last LEASE_LOST: it is sent once */
} shoe;

/* --- what the host is told */

static bool has(uint8_t bits) { return (hal_sense() & bits) != 0; }

static uint8_t cards_left_told(void) {
  if (!has(SENSE_MAGAZINE)) return 0;
  return record.deck_state == DECK_STATE_VERIFIED ? (uint8_t)(record.cards_left - feed_seen()) : (uint8_t)UNKNOWN;
}

static uint8_t state_told(void) {
  if (fault_stops()) return STATE_FAULTED;
  if (feed_running()) return feed_counting() ? STATE_PREPARING : STATE_FEEDING;
  return has(SENSE_GATE) ? STATE_STACK_AT_GATE : STATE_IDLE;
}

static uint16_t flags_told(void) {
  uint16_t flags = 0;
  if (has(SENSE_DOOR_OPEN)) flags |= FLAGS_DOOR_OPEN;
  if (has(SENSE_GATE)) flags |= FLAGS_GATE_OCCUPIED;
  if (shoe.inhibited) flags |= FLAGS_INHIBITED;
  if (has(SENSE_MAGAZINE)) flags |= FLAGS_DECK_PRESENT;
  if (link_lease()) flags |= FLAGS_LEASE_VALID;
  if (link_ring_full()) flags |= FLAGS_RING_FULL;
  return flags;
}

uint8_t *device_status(uint8_t *to) {
  bool feeding = feed_running() && !feed_counting();
  to = put_u16(put_u8(put_u8(to, hal_mode()), state_told()), flags_told());
  to = put_u8(put_u32(put_u8(to, record.deck_state), record.deck_id), cards_left_told());
  to = put_u8(to, feeding ? feed_seen() : has(SENSE_GATE) ? record.gate_cards : 0);
  to = put_u64(put_u64(to, feed_running() ? last_command() : 0), last_command());
  to = put_u32(put_u16(to, record.raised[0]), record.stacks_total);
  to = put_u32(to, record.cards_total + feed_seen());
  return put_u8(put_u64(to, 0), 0); /* it does not commit: no round (SHOE-2.6) */
}

uint8_t *device_identity(uint8_t *to) {
  static const char model[16] = FIRMWARE_MODEL, serial[16] = "REF-0001", firmware[12] = "1.0.0";
  to = put_u8(to, DEVICE_KIND_SHOE);
  to = put_bytes(put_bytes(to, (const uint8_t *)model, 16), (const uint8_t *)serial, 16);
  return put_bytes(to, (const uint8_t *)firmware, 12);
}

/* It counts and senses the stub; it has no shuffler, no reader and no cover card slot, and says so. */
uint32_t device_capabilities(void) { return CAPABILITY_COUNTS_DECK | CAPABILITY_STUB_SENSOR; }

uint8_t device_purpose(uint8_t purpose) {
  bool allowed = purpose == PURPOSE_DEAL || (purpose == PURPOSE_SERVICE && record.deck_state != DECK_STATE_VERIFIED);
  return allowed ? HELLO_RESULT_OK : HELLO_RESULT_PURPOSE_UNAVAILABLE;
}

uint8_t device_event_size(uint8_t type) {
  static const uint8_t sizes[] = {
      SIZE_BOOTED, SIZE_STACK_READY, SIZE_STACK_TAKEN, SIZE_DISPENSE_FAILED, SIZE_DISPENSE_INTERRUPTED,
      SIZE_COVER_CARD_INSERTED, SIZE_COVER_CARD_SEEN, SIZE_DOOR_OPENED, SIZE_DOOR_CLOSED, SIZE_STUB_REMOVED,
      SIZE_DECK_LOADED, SIZE_DECK_VERIFIED, SIZE_DECK_REJECTED, SIZE_FAULT_RAISED, SIZE_FAULT_CLEARED,
      SIZE_LEASE_LOST, SIZE_MODE_CHANGED, SIZE_CARD_UNEXPECTED,
  };
  return sizes[type - MSG_BOOTED];
}

void device_event_complete(uint8_t type, uint8_t *body) {
  if (type != MSG_DECK_REJECTED) return;
  uint8_t missing = body[9], *named = body + 15;
  for (uint8_t i = 0; i < missing && i < 8; i++) named = put_u8(put_u8(named, NAMED_MISSING), UNKNOWN); /* without a face */
}

static void tell(uint8_t type, uint8_t value) { link_event(type, &value, 1); }

/* --- what becomes of a command */

static void tell_counted(const command_t *command) {
  uint8_t body[BODY_MAX], count = command->first_slot;
  uint8_t *to = put_u64(body, command->id);
  if (command->outcome == OUTCOME_DONE) {
    record.deck_id++;
    record.deck_state = DECK_STATE_VERIFIED;
    record.cards_left = count;
    record.next_slot = 0;
    to = put_u8(put_u32(to, record.deck_id), count);
    link_event(MSG_DECK_VERIFIED, body, (uint8_t)(to - body));
    return;
  }
  record.deck_state = DECK_STATE_REJECTED;
  /* cards and missing, no more: a counter cannot tell what the cards are */
  to = put_u8(put_u8(to, count), count < DECK ? (uint8_t)(DECK - count) : 0);
  link_event(MSG_DECK_REJECTED, body, (uint8_t)(to - body));
}

static void tell_fed(const command_t *command) {
  uint8_t body[BODY_MAX], seen = command->unknown ? (uint8_t)UNKNOWN : command->seen;
  uint8_t *to = put_u64(body, command->id);
  if (command->outcome == OUTCOME_DONE) {
    record.stacks_total++;
    to = put_u8(put_u8(put_u32(to, record.deck_id), seen), command->first_slot);
    link_event(MSG_STACK_READY, body, (uint8_t)(to - body));
  } else if (command->outcome == OUTCOME_FAILED) {
    to = put_u8(put_u16(to, command->fault), seen);
    link_event(MSG_DISPENSE_FAILED, body, (uint8_t)(to - body));
  } else {
    to = put_u8(put_u8(to, command->cause), command->prepare ? 0 : seen);
    link_event(MSG_DISPENSE_INTERRUPTED, body, (uint8_t)(to - body));
  }
}

static void account_for_cards(const command_t *command) {
  record.cards_total += command->seen;
  record.cards_left = record.cards_left >= command->seen ? (uint8_t)(record.cards_left - command->seen) : 0;
  record.next_slot = (uint8_t)(record.next_slot + command->seen);
  if (command->seen || command->unknown) {
    record.gate_row = newest_row;
    record.gate_cards = command->unknown ? (uint8_t)UNKNOWN : command->seen;
  }
  bool touched = command->fault == FAULT_JAM || command->fault == FAULT_EXIT_BLOCKED; /* freed by hand: content unknown */
  if (shoe.void_deck || touched || (command->unknown && record.cards_left)) record.deck_state = DECK_STATE_VOID;
  else if (record.cards_left == 0) record.deck_state = DECK_STATE_NONE;
}

void shoe_conclude(void) {
  command_t command;
  row_read(newest_row, &command);
  record.told_row = newest_row; /* committed together with the event */
  if (!command.prepare) account_for_cards(&command);
  else if (shoe.void_deck) record.deck_state = DECK_STATE_VOID;
  if (command.prepare && command.outcome != OUTCOME_INTERRUPTED) tell_counted(&command);
  else tell_fed(&command);
}

void shoe_card_unexpected(void) {
  record.gate_cards = record.gate_cards == UNKNOWN ? UNKNOWN : (uint8_t)(record.gate_cards + 1);
  if (record.deck_state == DECK_STATE_VERIFIED) record.deck_state = DECK_STATE_VOID; /* which card was it? */
  tell(MSG_CARD_UNEXPECTED, 1);
}

/* --- commands */

static uint8_t refusal(uint64_t id, bool value_ok) {
  if (!value_ok || id == 0) return DISPENSE_RESULT_BAD_VALUE;
  if (id <= last_command()) return DISPENSE_RESULT_STALE_COMMAND;
  if (hal_mode() != MODE_DEAL) return DISPENSE_RESULT_WRONG_MODE;
  if (fault_stops()) return DISPENSE_RESULT_FAULTED;
  if (feed_running()) return DISPENSE_RESULT_BUSY;
  if (link_ring_full()) return DISPENSE_RESULT_RING_FULL;
  if (shoe.inhibited) return DISPENSE_RESULT_INHIBITED;
  if (!link_lease()) return DISPENSE_RESULT_NO_LEASE;
  if (has(SENSE_DOOR_OPEN)) return DISPENSE_RESULT_DOOR_OPEN;
  if (has(SENSE_GATE)) return DISPENSE_RESULT_GATE_OCCUPIED;
  return DISPENSE_RESULT_ACCEPTED;
}

static uint8_t dispense(uint64_t id, uint32_t deck, uint8_t cards, uint8_t destination) {
  bool value_ok = cards >= LIMITS_CARDS_MIN && cards <= LIMITS_CARDS_MAX && destination <= LIMITS_DESTINATION_MAX;
  uint8_t result = refusal(id, value_ok);
  if (result != DISPENSE_RESULT_ACCEPTED) return result;
  if (record.deck_state != DECK_STATE_VERIFIED) return DISPENSE_RESULT_DECK_NOT_VERIFIED;
  if (deck != record.deck_id) return DISPENSE_RESULT_WRONG_DECK;
  if (cards > record.cards_left) return DISPENSE_RESULT_NOT_ENOUGH_CARDS;
  row_add(id, false, cards, record.next_slot);
  feed_order(cards);
  return DISPENSE_RESULT_ACCEPTED;
}

static uint8_t prepare_deck(uint64_t id) {
  uint8_t result = refusal(id, true);
  if (result != DISPENSE_RESULT_ACCEPTED) return result;
  if (!has(SENSE_MAGAZINE)) return DISPENSE_RESULT_DECK_NOT_VERIFIED;
  row_add(id, true, 0, UNKNOWN);
  record.deck_state = DECK_STATE_LOADED;
  record.cards_left = UNKNOWN;
  feed_order(0);
  return DISPENSE_RESULT_ACCEPTED;
}

static uint8_t *query_command(uint64_t id, uint8_t *to) {
  command_t command = {.outcome = OUTCOME_NEVER_SEEN, .first_slot = UNKNOWN};
  uint8_t row = id > last_command() ? (uint8_t)NO_ROW : row_find(id);
  if (id <= last_command() && (row == NO_ROW || !row_read(row, &command))) command.outcome = OUTCOME_FORGOTTEN;
  if (command.outcome == OUTCOME_RUNNING && feed_running()) command.seen = feed_seen();
  bool slotless = command.prepare || (command.seen == 0 && !command.unknown);
  to = put_u8(put_u64(to, id), command.outcome);
  to = put_u8(to, command.unknown && !command.prepare ? (uint8_t)UNKNOWN : command.seen);
  to = put_u8(put_u8(to, command.taken), slotless ? (uint8_t)UNKNOWN : command.first_slot);
  return put_u16(to, command.fault);
}

static uint8_t *read_counters(uint8_t *to) {
  to = put_u32(put_u32(to, record.stacks_total), record.cards_total + feed_seen());
  to = put_u32(put_u32(to, record.misfeeds_total), 0); /* it reads no cards */
  return put_u32(put_u32(to, record.faults_total), 0); /* and does not shuffle */
}

static bool still_present(uint16_t fault) {
  switch (fault) {
    case FAULT_JAM: return has(SENSE_ENTRY | SENSE_EXIT);
    case FAULT_EXIT_BLOCKED: return has(SENSE_EXIT);
    case FAULT_DOUBLE_FEED:
    case FAULT_SHORT_FEED: return has(SENSE_GATE);
    case FAULT_EMPTY: return !has(SENSE_MAGAZINE);
    case FAULT_OVER_TEMPERATURE: return has(SENSE_HOT);
    case FAULT_LOW_BATTERY: return has(SENSE_BATTERY_LOW);
    default: return false;
  }
}

static uint8_t clear_fault(uint16_t fault) {
  if (!fault_raised(fault)) return CLEAR_RESULT_NOT_RAISED;
  if (fault_severity(fault) == SEVERITY_LOCKOUT) return CLEAR_RESULT_NEEDS_SERVICE;
  if (still_present(fault)) return CLEAR_RESULT_STILL_PRESENT;
  fault_gone(fault);
  return CLEAR_RESULT_CLEARED;
}

int16_t device_command_size(uint8_t type) {
  switch (type) {
    case MSG_QUERY_COMMAND: return SIZE_QUERY_COMMAND;
    case MSG_DISPENSE: return SIZE_DISPENSE;
    case MSG_SET_INHIBIT: return SIZE_SET_INHIBIT;
    case MSG_PREPARE_DECK: return SIZE_PREPARE_DECK;
    case MSG_CLEAR_FAULT: return SIZE_CLEAR_FAULT;
    case MSG_READ_COUNTERS: return SIZE_READ_COUNTERS;
    default: return -1;
  }
}

bool device_command_moves(uint8_t type) { return type == MSG_DISPENSE || type == MSG_PREPARE_DECK; }

static uint8_t *answer(uint8_t type, const uint8_t *payload, uint8_t *to) {
  uint64_t id = type == MSG_SET_INHIBIT || type == MSG_CLEAR_FAULT || type == MSG_READ_COUNTERS ? 0 : get_u64(payload);
  switch (type) {
    case MSG_QUERY_COMMAND: return query_command(id, to);
    case MSG_DISPENSE: return put_u8(put_u64(to, id), dispense(id, get_u32(payload + 8), payload[12], payload[13]));
    case MSG_PREPARE_DECK: return put_u8(put_u64(to, id), prepare_deck(id));
    case MSG_SET_INHIBIT: shoe.inhibited = payload[0] != 0; return put_u8(to, payload[0]);
    case MSG_CLEAR_FAULT: return put_u16(put_u8(to, clear_fault(get_u16(payload))), get_u16(payload));
    default: return read_counters(to);
  }
}

void device_command(uint8_t type, const uint8_t *payload, reply_t *reply) {
  if (type == MSG_SET_INHIBIT && payload[0] > 1) {
    reply->type = MSG_REJECT;
    reply->bytes[0] = REJECT_REASON_BAD_VALUE;
    return;
  }
  reply->type = (uint8_t)(type | REPLY_BIT);
  reply->size = (uint8_t)(answer(type, payload, reply->bytes) - reply->bytes);
}

/* --- what happens by itself */

static void watch_conditions(uint8_t sense) {
  if (sense & SENSE_BROKEN) fault_raise(FAULT_SENSOR_STUCK);
  if (sense & SENSE_BATTERY_LOW) fault_raise(FAULT_LOW_BATTERY);
  else fault_gone(FAULT_LOW_BATTERY); /* only advice: nobody has to clear it */
  if (sense & SENSE_HOT) fault_raise(FAULT_OVER_TEMPERATURE);
  if (sense & SENSE_BROKEN) feed_stop_for_fault(FAULT_SENSOR_STUCK);
  if (sense & SENSE_HOT) feed_stop_for_fault(FAULT_OVER_TEMPERATURE);
  if (!hal_service() || sense & SENSE_BROKEN) return;
  fault_gone(FAULT_SENSOR_STUCK);
  fault_gone(FAULT_MEMORY_CORRUPT);
}

static void door_opened(void) {
  uint8_t left = has(SENSE_MAGAZINE) && record.cards_left != UNKNOWN ? (uint8_t)(record.cards_left - feed_seen())
                                                                     : has(SENSE_MAGAZINE) ? (uint8_t)UNKNOWN : 0;
  feed_stop_at_once();
  if (record.deck_state == DECK_STATE_VERIFIED && has(SENSE_MAGAZINE)) record.deck_state = DECK_STATE_VOID;
  tell(MSG_DOOR_OPENED, left);
}

static void door_closed(void) {
  record.cards_left = has(SENSE_MAGAZINE) ? UNKNOWN : 0; /* somebody had a hand in it */
  tell(MSG_DOOR_CLOSED, has(SENSE_MAGAZINE));
}

static void magazine_changed(uint8_t sense) {
  if (!(sense & SENSE_DOOR_OPEN)) return; /* the last card was fed */
  if (sense & SENSE_MAGAZINE) {
    record.deck_state = DECK_STATE_LOADED;
    record.cards_left = UNKNOWN;
    link_event(MSG_DECK_LOADED, 0, 0);
  } else {
    uint8_t cards = record.cards_left;
    record.deck_state = DECK_STATE_NONE;
    record.cards_left = 0;
    tell(MSG_STUB_REMOVED, cards);
  }
}

static void watch_hands(uint8_t sense) {
  uint8_t changed = sense ^ shoe.sense;
  shoe.sense = (uint8_t)((sense & ~SENSE_GATE) | (shoe.sense & SENSE_GATE)); /* the gate has its own turn */
  if (changed & SENSE_DOOR_OPEN && sense & SENSE_DOOR_OPEN) door_opened();
  if (changed & SENSE_MAGAZINE) magazine_changed(sense);
  if (changed & SENSE_DOOR_OPEN && !(sense & SENSE_DOOR_OPEN)) door_closed();
  if (hal_mode() == shoe.mode) return;
  shoe.mode = hal_mode();
  if (shoe.mode != MODE_DEAL && record.deck_state == DECK_STATE_VERIFIED) record.deck_state = DECK_STATE_VOID;
  tell(MSG_MODE_CHANGED, shoe.mode);
}

static void watch_gate(uint8_t sense) {
  if (feed_running()) return; /* the stack is not told before it is counted */
  bool was = (shoe.sense & SENSE_GATE) != 0 || record.gate_cards != 0;
  shoe.sense = (uint8_t)((shoe.sense & ~SENSE_GATE) | (sense & SENSE_GATE));
  if (!was || sense & SENSE_GATE) return;
  uint8_t body[9];
  command_t command = {.id = 0};
  if (record.gate_row != NO_ROW && row_read(record.gate_row, &command)) {
    command.taken = true;
    row_write(record.gate_row, &command);
  }
  put_u8(put_u64(body, command.id), record.gate_cards);
  record.gate_cards = 0;
  link_event(MSG_STACK_TAKEN, body, sizeof body);
}

static void watch_permission(void) {
  if (!feed_running()) return;
  if (!link_lease()) {
    uint8_t body[8];
    if (shoe.lease_lost != last_command()) {
      shoe.lease_lost = last_command();
      put_u64(body, shoe.lease_lost);
      link_event(MSG_LEASE_LOST, body, sizeof body);
    }
    feed_stop(INTERRUPT_CAUSE_LEASE);
  }
  if (shoe.inhibited) feed_stop(INTERRUPT_CAUSE_INHIBIT);
}

void shoe_tick(void) {
  uint8_t sense = hal_sense();
  watch_conditions(sense);
  watch_hands(sense);
  watch_permission();
  feed_tick();
  watch_gate(hal_sense());
}

/* --- a start */

static void finish_what_was_cut_off(uint8_t cause) {
  command_t command;
  if (newest_row == NO_ROW || !row_read(newest_row, &command)) return;
  if (command.outcome == OUTCOME_RUNNING) {
    command.outcome = OUTCOME_INTERRUPTED;
    command.unknown = command.in_sensor || has(SENSE_EXIT);
    command.cause = cause;
    row_write(newest_row, &command);
    shoe.void_deck = true;
  }
  if (record.told_row != newest_row) shoe_conclude();
  shoe.void_deck = false;
}

void shoe_start(uint8_t cause) {
  bool readable = record_load();
  record.boot_counter++;
  faults_restart();
  feed_restart();
  link_start();
  shoe.inhibited = false;
  shoe.lease_lost = 0;
  shoe.sense = hal_sense();
  shoe.mode = hal_mode();
  if (record.deck_state == DECK_STATE_NONE && has(SENSE_MAGAZINE)) record.deck_state = DECK_STATE_LOADED;
  uint8_t at = (uint8_t)((has(SENSE_MAGAZINE) ? CARDS_AT_MAGAZINE : 0) | (has(SENSE_GATE) ? CARDS_AT_GATE : 0));
  if (has(SENSE_ENTRY | SENSE_EXIT)) at = (uint8_t)(at | CARDS_AT_FEED_PATH);
  uint8_t body[2] = {cause, at};
  link_event(MSG_BOOTED, body, sizeof body);
  if (!readable) fault_raise(FAULT_MEMORY_CORRUPT);
  finish_what_was_cut_off(cause == BOOT_CAUSE_POWER_ON ? INTERRUPT_CAUSE_POWER : INTERRUPT_CAUSE_RESET);
}
