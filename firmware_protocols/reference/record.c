/* Owns the layout of the memory that survives power loss (record.h); knows neither the line nor the mechanism. */
#include "record.h"

#include "hal.h"
#include "wire.h"

enum { RECORD_SIZE = 64, COUNT_AT = 59, ROWS_AT = 2 * RECORD_SIZE, ROW_SIZE = 14, ID_SIZE = 8, TAIL = 9, TAIL_SIZE = 4, RING_AT = 1024 };
enum { PREPARE = 8, TAKEN = 16, IN_SENSOR = 32, NOT_KNOWN = 64, OUTCOME = 7 };
_Static_assert(ROWS_AT + LIMITS_COMMANDS_REMEMBERED * ROW_SIZE <= RING_AT, "1024 bytes hold record and rows");

record_t record;
uint8_t newest_row;
static uint8_t written; /* counts commits: says which place is newer */
static uint64_t highest;

/* --- the record: fields, count, check */

static uint8_t *put_record(uint8_t *to) {
  to = put_u64(put_u64(to, record.last_event), record.consumed_event);
  to = put_u32(put_u32(put_u32(to, record.boot_counter), record.deck_id), record.stacks_total);
  to = put_u32(put_u32(put_u32(to, record.cards_total), record.misfeeds_total), record.faults_total);
  for (uint8_t i = 0; i < RAISED_MAX; i++) to = put_u16(to, record.raised[i]);
  to = put_u8(put_u8(put_u8(to, record.session), record.deck_state), record.cards_left);
  to = put_u8(put_u8(put_u8(to, record.next_slot), record.gate_row), record.gate_cards);
  return put_u8(put_u8(to, record.told_row), written);
}

static void get_record(const uint8_t *from) {
  record.last_event = get_u64(from);
  record.consumed_event = get_u64(from + 8);
  record.boot_counter = get_u32(from + 16);
  record.deck_id = get_u32(from + 20);
  record.stacks_total = get_u32(from + 24);
  record.cards_total = get_u32(from + 28);
  record.misfeeds_total = get_u32(from + 32);
  record.faults_total = get_u32(from + 36);
  for (uint8_t i = 0; i < RAISED_MAX; i++) record.raised[i] = get_u16(from + 40 + 2 * i);
  record.session = from[52];
  record.deck_state = from[53];
  record.cards_left = from[54];
  record.next_slot = from[55];
  record.gate_row = from[56];
  record.gate_cards = from[57];
  record.told_row = from[58];
  written = from[COUNT_AT];
}

void record_commit(void) {
  uint8_t bytes[RECORD_SIZE];
  written++;
  uint8_t *end = put_record(bytes);
  put_u32(end, crc32(0, bytes, RECORD_SIZE - 4));
  hal_nvram_write(written & 1 ? RECORD_SIZE : 0, bytes, RECORD_SIZE);
}

/* Read a place: 1 whole, 0 spoiled, -1 blank. */
static int8_t read_place(uint8_t place, uint8_t *bytes) {
  bool blank = true;
  hal_nvram_read(place ? RECORD_SIZE : 0, bytes, RECORD_SIZE);
  for (uint8_t i = 0; i < RECORD_SIZE; i++) blank = blank && bytes[i] == 0xFF;
  if (blank) return -1;
  return crc32(0, bytes, RECORD_SIZE - 4) == get_u32(bytes + RECORD_SIZE - 4);
}

static void find_newest_row(void) {
  command_t command;
  newest_row = NO_ROW;
  highest = 0;
  for (uint8_t row = 0; row < LIMITS_COMMANDS_REMEMBERED; row++) {
    if (row_read(row, &command) && command.id > highest) {
      highest = command.id;
      newest_row = row;
    }
  }
}

bool record_load(void) {
  uint8_t bytes[RECORD_SIZE];
  int8_t one = read_place(0, bytes);
  uint8_t count = bytes[COUNT_AT];
  int8_t two = read_place(1, bytes);
  find_newest_row();
  if (one != 1 && two != 1) {
    put_zeros(bytes, RECORD_SIZE);
    get_record(bytes);
    record.gate_row = record.told_row = NO_ROW;
    record.cards_left = UNKNOWN;
    return one == -1 && two == -1 && newest_row == NO_ROW; /* blank: from the factory */
  }
  if (two != 1 || (one == 1 && (int8_t)(count - bytes[COUNT_AT]) > 0)) read_place(0, bytes);
  get_record(bytes);
  return true;
}

/* --- the rows: id and its check, then state, cards, slot, fault (or cause) and their check: low bytes of the CRC.
 * An id is written once; what happens to its command later changes the second half alone. */

static uint8_t check_of(const uint8_t *bytes, uint8_t size) { return (uint8_t)crc32(0, bytes, size); }

static uint16_t address_of(uint8_t row) { return (uint16_t)(ROWS_AT + (uint16_t)row * ROW_SIZE); }

uint64_t last_command(void) { return highest; }

bool row_read(uint8_t row, command_t *command) {
  uint8_t bytes[ROW_SIZE];
  const uint8_t *tail = bytes + TAIL;
  hal_nvram_read(address_of(row), bytes, ROW_SIZE);
  command->id = get_u64(bytes);
  if (command->id == 0 || check_of(bytes, ID_SIZE) != bytes[ID_SIZE]) return false;
  bool whole = check_of(tail, TAIL_SIZE) == tail[TAIL_SIZE];
  command->outcome = whole ? tail[0] & OUTCOME : OUTCOME_INTERRUPTED;
  command->prepare = (tail[0] & PREPARE) != 0;
  command->taken = whole && (tail[0] & TAKEN) != 0;
  command->in_sensor = whole && (tail[0] & IN_SENSOR) != 0;
  command->unknown = !whole || (tail[0] & NOT_KNOWN) != 0;
  command->ordered = tail[1] >> 4;
  command->seen = whole ? tail[1] & 0x0F : 0;
  command->first_slot = tail[2];
  bool interrupted = command->outcome == OUTCOME_INTERRUPTED;
  command->cause = whole && interrupted ? tail[3] : (uint8_t)INTERRUPT_CAUSE_POWER;
  command->fault = interrupted ? 0 : (uint16_t)((tail[3] & 0xF0) << 4 | (tail[3] & 0x0F));
  return true;
}

static void put_tail(uint8_t *tail, const command_t *command) {
  uint8_t flags = (uint8_t)((command->prepare ? PREPARE : 0) | (command->taken ? TAKEN : 0));
  flags = (uint8_t)(flags | (command->in_sensor ? IN_SENSOR : 0) | (command->unknown ? NOT_KNOWN : 0));
  tail[0] = (uint8_t)(flags | command->outcome);
  tail[1] = (uint8_t)(command->ordered << 4 | command->seen);
  tail[2] = command->first_slot;
  tail[3] = (uint8_t)((command->fault >> 4 & 0xF0) | (command->fault & 0x0F));
  if (command->outcome == OUTCOME_INTERRUPTED) tail[3] = command->cause;
  tail[TAIL_SIZE] = check_of(tail, TAIL_SIZE);
}

void row_write(uint8_t row, const command_t *command) {
  uint8_t tail[TAIL_SIZE + 1];
  put_tail(tail, command);
  hal_nvram_write((uint16_t)(address_of(row) + TAIL), tail, sizeof tail);
}

void row_add(uint64_t id, bool prepare, uint8_t ordered, uint8_t first_slot) {
  uint8_t bytes[ROW_SIZE];
  command_t command = {.id = id, .outcome = OUTCOME_RUNNING, .prepare = prepare, .ordered = ordered, .first_slot = first_slot};
  newest_row = newest_row == NO_ROW ? 0 : (uint8_t)((newest_row + 1u) % LIMITS_COMMANDS_REMEMBERED);
  put_u64(bytes, id);
  bytes[ID_SIZE] = check_of(bytes, ID_SIZE);
  put_tail(bytes + TAIL, &command);
  hal_nvram_write(address_of(newest_row), bytes, ROW_SIZE);
  highest = id;
}

uint8_t row_find(uint64_t id) {
  command_t command;
  for (uint8_t row = 0; row < LIMITS_COMMANDS_REMEMBERED; row++)
    if (row_read(row, &command) && command.id == id) return row;
  return NO_ROW;
}

#if RING_KEPT
/* --- the ring, behind the rest: 8 + 4 + 4 + 1 + 1 + BODY_MAX bytes and a check a place */

enum { EVENT_SIZE = 18 + BODY_MAX };

static uint16_t place_of(uint64_t id) { return (uint16_t)(RING_AT + (uint16_t)(id % RING_SIZE) * (EVENT_SIZE + 1)); }

void ring_store(uint64_t id, const event_t *event) {
  uint8_t bytes[EVENT_SIZE + 1];
  uint8_t *to = put_u32(put_u32(put_u64(bytes, id), event->boot_counter), event->uptime_ms);
  to = put_bytes(put_u8(put_u8(to, event->type), event->size), event->body, BODY_MAX);
  *to = check_of(bytes, EVENT_SIZE);
  hal_nvram_write(place_of(id), bytes, sizeof bytes);
}

bool ring_restore(uint64_t id, event_t *event) {
  uint8_t bytes[EVENT_SIZE + 1];
  hal_nvram_read(place_of(id), bytes, sizeof bytes);
  event->boot_counter = get_u32(bytes + 8);
  event->uptime_ms = get_u32(bytes + 12);
  event->type = bytes[16];
  event->size = bytes[17];
  put_bytes(event->body, bytes + 18, BODY_MAX);
  return get_u64(bytes) == id && check_of(bytes, EVENT_SIZE) == bytes[EVENT_SIZE] && event->size <= BODY_MAX;
}
#endif
