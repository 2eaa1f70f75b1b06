/* Owns the session, the lease, the kept reply and the ring of events (link.h); clauses LINK-3.4 and LINK-4 to LINK-8. */
#include "link.h"

#include "frame.h"
#include "hal.h"
#include "wire.h"

_Static_assert(RING_SIZE >= EVENTS_RING_MIN_BENCH, "LINK-7.2");

enum { KEPT_MAX = SIZE_DISPENSE }; /* the longest command of the device */

static struct {
  bool open;
  uint8_t session, purpose, next_sequence;
  uint8_t host_nonce[16], device_nonce[16];
  uint32_t sessions; /* of this start: makes nonces differ */
} link;

static struct {
  bool there;
  uint8_t type, sequence, size, payload[KEPT_MAX];
  reply_t reply;
} kept; /* the last command and its reply (LINK-4.3) */

static struct {
  bool valid;
  uint32_t until;
} lease;

static struct {
  event_t places[RING_SIZE];
  uint64_t sent; /* the highest id sent in this session */
  uint8_t frames;
  uint32_t again_at;
} ring;

static const uint8_t spec_hash[32] = {SPEC_HASH};
static uint32_t last_put;
static bool ever_put;

/* --- sending */

static void put(uint8_t byte) {
  hal_put(byte);
  last_put = hal_now_ms();
  ever_put = true;
}

static void send(uint8_t session, uint8_t type, uint8_t sequence, const uint8_t *end) {
  if (!ever_put || hal_now_ms() - last_put > TIMING_IDLE_DELIMITER_MS) put(0); /* LINK-3.4 */
  frame_send(session, type, sequence, end, put);
}

static void reject(const frame_t *frame, uint8_t reason) {
  uint8_t *to = put_u8(put_u8(frame_payload(), reason), frame->type);
  send(frame->session, MSG_REJECT, frame->sequence, to);
}

/* --- events */

static uint16_t held_events(void) { return (uint16_t)(record.last_event - record.consumed_event); }

bool link_ring_full(void) { return held_events() >= RING_SIZE; }

static void send_event(uint64_t id) {
  const event_t *event = &ring.places[id % RING_SIZE];
  uint8_t *to = frame_payload(), size = device_event_size(event->type);
  to = put_u32(put_u32(put_u64(to, id), event->boot_counter), event->uptime_ms);
  put_zeros(to, (uint16_t)(size - EVENT_HEAD));
  put_bytes(to, event->body, event->size);
  device_event_complete(event->type, to);
  send(link.session, event->type, ring.frames++, frame_payload() + size);
  if (id > ring.sent) ring.sent = id;
}

/* The oldest events that are held, as many as the window allows (LINK-7.3). */
static void send_window(void) {
  uint64_t id = record.consumed_event;
  for (uint8_t n = 0; n < EVENTS_WINDOW && id < record.last_event; n++) send_event(++id);
  ring.again_at = hal_now_ms() + TIMING_EVENT_REPEAT_MS;
}

void link_event(uint8_t type, const uint8_t *body, uint8_t size) {
  bool first = held_events() == 0, in_order = ring.sent >= record.last_event || first;
  if (link_ring_full()) record.consumed_event++; /* overwritten: shows as a gap (LINK-7.7) */
  record.last_event++;
  event_t *event = &ring.places[record.last_event % RING_SIZE];
  event->boot_counter = record.boot_counter;
  event->uptime_ms = hal_now_ms();
  event->type = type;
  event->size = size;
  put_bytes(event->body, body, size);
#if RING_KEPT
  ring_store(record.last_event, event);
#endif
  record_commit();
  if (!link.open) return;
  if (first) ring.again_at = hal_now_ms() + TIMING_EVENT_REPEAT_MS;
  if (in_order) send_event(record.last_event); /* else older ones come before it (LINK-7.8) */
}

static void consume(uint64_t id) {
  if (id > record.last_event || id <= record.consumed_event) return;
  record.consumed_event = id; /* written with the next commit: an event that comes once more does no harm */
}

/* --- lease */

bool link_lease(void) {
  if (lease.valid && (int32_t)(hal_now_ms() - lease.until) >= 0) lease.valid = false;
  return lease.valid;
}

static void take_heartbeat(const frame_t *frame) {
  uint32_t now = hal_now_ms();
  uint16_t asked = get_u16(frame->payload);
  if (asked < TIMING_LEASE_MIN_MS) asked = TIMING_LEASE_MIN_MS;
  if (asked > TIMING_LEASE_MAX_MS) asked = TIMING_LEASE_MAX_MS;
  lease.valid = true;
  lease.until = now + asked;
  uint8_t *to = put_u64(put_u32(put_u32(frame_payload(), record.boot_counter), now), record.last_event);
  to = device_status(put_u16(put_u16(to, held_events()), asked));
  send(link.session, MSG_STATUS, frame->sequence, to);
}

/* --- session */

static void hello_reply(const frame_t *frame, uint8_t result, const uint8_t *host_nonce) {
  uint8_t *to = put_bytes(put_u8(frame_payload(), result), host_nonce, 16);
  to = put_bytes(put_bytes(to, link.device_nonce, 16), spec_hash, 32);
  to = put_u8(to, result == HELLO_RESULT_OK ? link.session : 0);
  to = put_u16(put_u32(device_identity(to), record.boot_counter), RING_SIZE);
  to = put_u64(put_u32(to, device_capabilities()), record.consumed_event + 1);
  send(0, MSG_HELLO_REPLY, frame->sequence, put_u64(to, record.last_event));
}

/* Fresh, not secret: a clear session proves nothing. A device with sealed sessions needs a true random source here. */
static void fresh_nonce(void) {
  uint32_t now = hal_now_ms();
  uint8_t *to = put_u32(put_u32(put_u32(link.device_nonce, record.boot_counter), ++link.sessions), now);
  put_u32(to, crc32(now, link.host_nonce, 16));
}

static void begin_session(const uint8_t *host_nonce, uint8_t purpose) {
  record.session = (uint8_t)(record.session % 255 + 1);
  record_commit(); /* before it is told: the number survives a restart (LINK-5.4) */
  link.open = true;
  link.session = record.session;
  link.purpose = purpose;
  link.next_sequence = 1;
  kept.there = false;
  ring.sent = record.consumed_event;
  put_bytes(link.host_nonce, host_nonce, 16);
  fresh_nonce();
}

static uint8_t hello_result(const uint8_t *hash, uint8_t purpose, uint8_t security) {
  if (!same_bytes(hash, spec_hash, 32)) return HELLO_RESULT_WRONG_SPEC_HASH;
  if (security != SECURITY_CLEAR) return HELLO_RESULT_SECURITY_UNAVAILABLE;
  return device_purpose(purpose);
}

static void take_hello(const frame_t *frame) {
  const uint8_t *host_nonce = frame->payload, *hash = host_nonce + 16, *rest = hash + 32;
  uint8_t nonce[16];
  put_bytes(nonce, host_nonce, 16);
  uint8_t result = hello_result(hash, rest[0], rest[1]);
  if (result != HELLO_RESULT_OK) {
    hello_reply(frame, result, nonce);
    return;
  }
  bool again = link.open && same_bytes(nonce, link.host_nonce, 16); /* LINK-5.5 */
  consume(get_u64(rest + 2));
  if (!again) begin_session(nonce, rest[0]);
  hello_reply(frame, result, nonce);
  if (!again) send_window();
}

/* --- commands */

static bool is_kept(const frame_t *frame) {
  return kept.there && kept.type == frame->type && kept.size == frame->length &&
         same_bytes(kept.payload, frame->payload, kept.size);
}

static void carry_out(const frame_t *frame) {
  kept.there = false;
  device_command(frame->type, frame->payload, &kept.reply);
  if (kept.reply.type == MSG_REJECT) { /* not kept, and the sequence stays (LINK-4.4) */
    reject(frame, kept.reply.bytes[0]);
    return;
  }
  kept.there = true;
  kept.type = frame->type;
  kept.sequence = frame->sequence;
  kept.size = frame->length;
  put_bytes(kept.payload, frame->payload, frame->length);
  link.next_sequence++;
  uint8_t *to = put_bytes(frame_payload(), kept.reply.bytes, kept.reply.size);
  send(link.session, kept.reply.type, frame->sequence, to);
}

static void take_command(const frame_t *frame) {
  int16_t size = device_command_size(frame->type);
  if (size < 0) {
    reject(frame, REJECT_REASON_UNKNOWN_TYPE);
  } else if (kept.there && frame->sequence == kept.sequence && is_kept(frame)) {
    uint8_t *to = put_bytes(frame_payload(), kept.reply.bytes, kept.reply.size);
    send(link.session, kept.reply.type, frame->sequence, to);
  } else if (frame->sequence != link.next_sequence) {
    reject(frame, REJECT_REASON_WRONG_SEQUENCE);
  } else if (frame->length != size) {
    reject(frame, REJECT_REASON_WRONG_LENGTH);
  } else if (link.purpose != PURPOSE_DEAL && device_command_moves(frame->type)) {
    reject(frame, REJECT_REASON_NOT_ALLOWED_IN_PURPOSE);
  } else {
    carry_out(frame);
  }
}

/* A frame of the present session. */
static void take_in_session(const frame_t *frame) {
  switch (frame->type) {
    case MSG_HEARTBEAT:
      if (frame->length == SIZE_HEARTBEAT) take_heartbeat(frame);
      else reject(frame, REJECT_REASON_WRONG_LENGTH);
      break;
    case MSG_EVENT_ACK:
      if (frame->length == SIZE_EVENT_ACK) consume(get_u64(frame->payload));
      break;
    default:
      take_command(frame);
  }
}

void link_receive(uint8_t byte) {
  frame_t frame;
  if (!frame_take(byte, &frame)) return;
  if (frame.type >= RANGES_EVENT_FIRST) return; /* only devices send it (LINK-4.9) */
  if (frame.type == MSG_HELLO && frame.session == 0) {
    if (frame.length == SIZE_HELLO) take_hello(&frame);
    else reject(&frame, REJECT_REASON_WRONG_LENGTH);
  } else if (link.open && frame.session == link.session) {
    take_in_session(&frame);
  } else if (frame.type != MSG_EVENT_ACK) {
    reject(&frame, REJECT_REASON_NO_SESSION);
  }
}

void link_tick(void) {
  link_lease(); /* so that a lease that ended is not taken for one after the clock has wrapped */
  if (link.open && held_events() && (int32_t)(hal_now_ms() - ring.again_at) >= 0) send_window();
}

void link_start(void) {
  link.open = kept.there = lease.valid = ever_put = false;
  link.sessions = 0;
  ring.sent = record.consumed_event;
#if RING_KEPT
  for (uint64_t id = record.last_event; id > record.consumed_event; id--) {
    if (ring_restore(id, &ring.places[id % RING_SIZE])) continue;
    record.consumed_event = id; /* lost: oldest_event shows the gap */
  }
#else
  record.consumed_event = record.last_event; /* the ring was lost: oldest_event shows the gap (LINK-7.2) */
#endif
}
