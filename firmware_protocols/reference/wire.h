/* Bytes: numbers are little-endian on the line and in memory, whatever the machine is (LINK-2.7). */
#ifndef WIRE_H
#define WIRE_H
#include <stdbool.h>
#include <stdint.h>

static inline uint8_t *put_bytes(uint8_t *to, const uint8_t *from, uint16_t size) {
  while (size--) *to++ = *from++;
  return to;
}

static inline uint8_t *put_zeros(uint8_t *to, uint16_t size) {
  while (size--) *to++ = 0;
  return to;
}

static inline bool same_bytes(const uint8_t *one, const uint8_t *other, uint16_t size) {
  while (size--)
    if (*one++ != *other++) return false;
  return true;
}

static inline uint8_t *put_u8(uint8_t *to, uint8_t value) {
  *to++ = value;
  return to;
}

static inline uint8_t *put_u16(uint8_t *to, uint16_t value) {
  *to++ = (uint8_t)value;
  *to++ = (uint8_t)(value >> 8);
  return to;
}

static inline uint8_t *put_u32(uint8_t *to, uint32_t value) {
  return put_u16(put_u16(to, (uint16_t)value), (uint16_t)(value >> 16));
}

static inline uint8_t *put_u64(uint8_t *to, uint64_t value) {
  return put_u32(put_u32(to, (uint32_t)value), (uint32_t)(value >> 32));
}

static inline uint16_t get_u16(const uint8_t *from) { return (uint16_t)(from[0] | (uint16_t)(from[1] << 8)); }

static inline uint32_t get_u32(const uint8_t *from) { return get_u16(from) | (uint32_t)get_u16(from + 2) << 16; }

static inline uint64_t get_u64(const uint8_t *from) { return get_u32(from) | (uint64_t)get_u32(from + 4) << 32; }

/* CRC-32 of LINK-2.4; `crc` is 0 at the beginning, and what came before when bytes are added. */
uint32_t crc32(uint32_t crc, const uint8_t *bytes, uint16_t size);
#endif
