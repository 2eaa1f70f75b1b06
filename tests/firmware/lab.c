/* The host build of the reference firmware as a shared library under a clock that the test moves.
 *
 * A tool of the tests: the firmware, its bench and its hands are those of host.c; only time and the line are the test's.
 */
#include <stddef.h>

#include "bench.h"
#include "frame.h"
#include "hosted.h"
#include "wire.h"

static uint32_t now;

void lab_start(uint16_t card_ms, uint16_t count_ms, uint16_t hand_ms, uint8_t doubles, uint32_t seed) {
  bench = (bench_t){.card_ms = card_ms, .count_ms = count_ms, .hand_ms = hand_ms, .doubles_in_256 = doubles, .seed = seed};
  now = 0;
  hosted_tick(0); /* the clock goes back with the old firmware still there */
  hosted_start();
  hosted_out_size = 0;
}

void lab_write(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) hosted_byte(bytes[i]);
}

/* Let time pass to `until`, a millisecond at a time; stop early when something was sent. Returns the time. */
uint32_t lab_run(uint32_t until) {
  hosted_tick(now);
  while (now < until && hosted_out_size == 0) hosted_tick(++now);
  return now;
}

uint16_t lab_read(uint8_t *to) {
  uint16_t size = hosted_out_size;
  for (uint16_t i = 0; i < size; i++) to[i] = hosted_out[i];
  hosted_out_size = 0;
  return size;
}

/* Give a byte to the receiver alone: 5 + length bytes of a frame in `found` when it ends one, else 0. */
uint16_t lab_frame(uint8_t byte, uint8_t *found) {
  frame_t frame;
  if (!frame_take(byte, &frame)) return 0;
  found[0] = frame.session;
  found[1] = frame.type;
  found[2] = frame.sequence;
  put_bytes(found + 3, frame.payload, frame.length);
  return (uint16_t)(3 + frame.length);
}

uint16_t lab_dropped(void) { return frames_dropped; }

static uint8_t *encoded_to;
static void put_encoded(uint8_t byte) { *encoded_to++ = byte; }

/* Encode a frame with a payload of at most FRAME_OUT_MAX bytes; returns the bytes on the line. */
uint16_t lab_encode(uint8_t session, uint8_t type, uint8_t sequence, const uint8_t *payload, uint8_t size, uint8_t *to) {
  encoded_to = to;
  frame_send(session, type, sequence, put_bytes(frame_payload(), payload, size), put_encoded);
  return (uint16_t)(encoded_to - to);
}
