/* Owns what frame.h says; see there. The content is decoded in place: no second buffer of 254 bytes on a small device. */
#include "frame.h"

#include "wire.h"

enum { ENCODED_MAX = FRAME_WIRE_MAX - 1 }; /* LINK-3.3 */

uint16_t frames_taken, frames_dropped;
static uint8_t in[ENCODED_MAX], out[HEADER + FRAME_OUT_MAX + CHECK];
static uint8_t held;
static bool overlong;

uint32_t crc32(uint32_t crc, const uint8_t *bytes, uint16_t size) {
  /* half a byte at a time: sixteen words of table, and an AVR keeps up with the line */
  static const uint32_t table[16] = {
      0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
      0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
  };
  crc ^= 0xFFFFFFFF;
  while (size--) {
    crc ^= *bytes++;
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return crc ^ 0xFFFFFFFF;
}

/* Decode in place; 0 for what is not COBS. */
static uint8_t decode(uint8_t size) {
  uint8_t from = 0, to = 0;
  while (from < size) {
    uint8_t code = in[from++];
    if (code - 1 > size - from) return 0;
    for (uint8_t i = 1; i < code; i++) in[to++] = in[from++];
    if (code != 0xFF && from < size) in[to++] = 0;
  }
  return to;
}

static bool understand(uint8_t size, frame_t *frame) {
  uint8_t content = decode(size);
  if (content < HEADER + CHECK || in[4] > FRAME_PAYLOAD_MAX || content != HEADER + in[4] + CHECK) return false;
  uint8_t checked = (uint8_t)(content - CHECK);
  if (crc32(0, in, checked) != get_u32(in + checked)) return false;
  if (in[0] != FRAME_VERSION_CLEAR) return false;
  *frame = (frame_t){in[1], in[2], in[3], in[4], in + HEADER};
  return true;
}

bool frame_take(uint8_t byte, frame_t *frame) {
  if (byte) {
    if (held < ENCODED_MAX) in[held++] = byte;
    else overlong = true;
    return false;
  }
  uint8_t size = held;
  bool whole = !overlong;
  held = 0;
  overlong = false;
  if (size == 0) return false;
  whole = whole && understand(size, frame);
  if (whole) frames_taken++;
  else frames_dropped++;
  return whole;
}

uint8_t *frame_payload(void) { return out + HEADER; }

void frame_send(uint8_t session, uint8_t type, uint8_t sequence, const uint8_t *end, void (*put)(uint8_t)) {
  uint8_t length = (uint8_t)(end - out - HEADER), size = (uint8_t)(HEADER + length);
  uint8_t head[HEADER] = {FRAME_VERSION_CLEAR, session, type, sequence, length};
  put_bytes(out, head, HEADER);
  put_u32(out + size, crc32(0, out, size));
  size = (uint8_t)(size + CHECK);
  for (uint8_t from = 0; from <= size;) { /* a code, then the bytes up to the next 00 or the end */
    uint8_t code = 1;
    while (from + code - 1 < size && out[from + code - 1]) code++;
    put(code);
    for (uint8_t i = 0; i < code - 1; i++) put(out[from + i]);
    from = (uint8_t)(from + code);
  }
  put(0);
}
