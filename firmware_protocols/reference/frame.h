/* Frames (link-v1 sections 2 and 3): COBS, length, CRC-32. Owns the buffer of the line; knows no session and no time. */
#ifndef FRAME_H
#define FRAME_H
#include <stdbool.h>
#include <stdint.h>

#include "spec.h"

enum { HEADER = 5, CHECK = FRAME_CHECK_BYTES };

typedef struct {
  uint8_t session, type, sequence, length;
  const uint8_t *payload; /* valid until the next byte is taken */
} frame_t;

/* Take a byte of the line. True when it ends a whole frame; what is none is dropped in silence and counted. */
bool frame_take(uint8_t byte, frame_t *frame);
extern uint16_t frames_taken, frames_dropped;

/* Where the payload of the next frame is to be written: FRAME_OUT_MAX bytes. */
uint8_t *frame_payload(void);
enum { FRAME_OUT_MAX = SIZE_HELLO_REPLY }; /* the longest message of the device */
/* Encode the frame with the payload from frame_payload() to `end`, and give it to `put`, the 00 at its end included. */
void frame_send(uint8_t session, uint8_t type, uint8_t sequence, const uint8_t *end, void (*put)(uint8_t));
#endif
