/* link-v1 on the device's side: frames, sessions, heartbeat and lease, commands at most once, events at least once.
 *
 * Knows the device only through the four functions at the end, and the machine only through hal.h. One instance: a
 * device has one line.
 */
#ifndef LINK_H
#define LINK_H
#include <stdbool.h>
#include <stdint.h>

#include "record.h"

void link_start(void); /* after record_load: no session, no lease */
void link_receive(uint8_t byte);
void link_tick(void); /* the lease's end, events again (LINK-7.3) */

bool link_lease(void);     /* cards may move (LINK-6.3) */
bool link_ring_full(void); /* nothing that moves a card is accepted (LINK-7.7) */
/* Record an event and send it if there is a session. The fields behind the head, as they stand in shoe-v1.toml; what is
 * missing to the size of the message is sent as 00. Commits the record. */
void link_event(uint8_t type, const uint8_t *body, uint8_t size);


/* --- what the device brings */
typedef struct {
  uint8_t type, size; /* of the reply; type MSG_REJECT: the first byte is the reason */
  uint8_t bytes[SIZE_READ_COUNTERS_REPLY];
} reply_t;

/* Bytes of the payload of a command, or -1 for a type that the device does not know. */
int16_t device_command_size(uint8_t type);
bool device_command_moves(uint8_t type); /* not allowed in a service session (LINK-4.8) */
/* Carry out a command of the right length. */
void device_command(uint8_t type, const uint8_t *payload, reply_t *reply);
/* The device's fields of STATUS; returns the end. */
uint8_t *device_status(uint8_t *to);
/* Who the device is: kind, model, serial, firmware. */
uint8_t *device_identity(uint8_t *to);
uint32_t device_capabilities(void);
/* hello_result of a purpose (LINK-5.8). */
uint8_t device_purpose(uint8_t purpose);
uint8_t device_event_size(uint8_t type);
/* Fill in the fields that follow from the others and are not kept in the ring; `body` is what stands behind the head. */
void device_event_complete(uint8_t type, uint8_t *body);
#endif
