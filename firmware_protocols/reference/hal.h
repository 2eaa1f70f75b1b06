/* The hardware seam: all that the firmware asks of the machine it runs on.
 *
 * link.c, record.c, feed.c and shoe.c know nothing below this file. A maker writes these functions for the real board;
 * bench.c stands in for the mechanism, and host.c, avr.c and arm.c bring the clock, the line and the memory.
 */
#ifndef HAL_H
#define HAL_H
#include <stdbool.h>
#include <stdint.h>

/* Milliseconds since the start, wrapping after 2^32 (LINK-8.2). */
uint32_t hal_now_ms(void);

/* The line (LINK-1.1). put waits while the buffer is full; sent tells that the last byte has left. */
void hal_put(uint8_t byte);
bool hal_sent(void);

/* Memory that survives power loss: NVRAM_SIZE bytes. write returns when all of it is safe; a cut in the middle leaves
 * each byte old, new or anything. */
void hal_nvram_read(uint16_t at, uint8_t *to, uint16_t size);
void hal_nvram_write(uint16_t at, const uint8_t *from, uint16_t size);

/* The feed motor. FEED drives cards from the magazine to the gate, BACK drives a card that lies at the entry back into
 * the magazine, COUNT riffles the whole deck past the entry sensor and keeps it in the magazine. */
enum { MOTOR_OFF, MOTOR_FEED, MOTOR_BACK, MOTOR_COUNT };
void hal_motor(uint8_t motor);

/* The oldest edge of the feed path that nobody has asked for yet: latched, so that none is lost while memory is written. */
enum { EDGE_NONE, EDGE_ENTRY_ON, EDGE_EXIT_ON, EDGE_EXIT_OFF };
uint8_t hal_edge(void);

/* What is so now. */
enum {
  SENSE_DOOR_OPEN = 1,
  SENSE_MAGAZINE = 2,     /* cards lie in the magazine */
  SENSE_ENTRY = 4,        /* a card covers the entry sensor */
  SENSE_EXIT = 8,         /* a card covers the exit sensor */
  SENSE_GATE = 16,        /* cards lie in the gate */
  SENSE_HOT = 32,         /* too hot to move */
  SENSE_BATTERY_LOW = 64, /* the memory's battery */
  SENSE_BROKEN = 128      /* a sensor does not pass its own test */
};
uint8_t hal_sense(void);
uint8_t hal_mode(void);    /* the mode switch: MODE_DEAL, MODE_SORT, MODE_TEST */
bool hal_service(void);    /* the service button was pressed since the last call */
#endif
