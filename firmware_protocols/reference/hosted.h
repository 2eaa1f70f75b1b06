/* The firmware in a process of a PC: its clock, line and memory are variables, and power can go at any place.
 *
 * host.c puts it on a pty in real time; a test may put it under a virtual clock.
 */
#ifndef HOSTED_H
#define HOSTED_H
#include <stdint.h>

void hosted_start(void); /* power on for the first time, with blank memory; set the bench's times and seed before */
void hosted_tick(uint32_t now_ms);
void hosted_byte(uint8_t byte); /* from the host; lost while there is no power */

enum { HOSTED_OUT = 16384 };
extern uint8_t hosted_out[HOSTED_OUT]; /* what the firmware has sent; set hosted_out_size to 0 when it is taken */
extern uint16_t hosted_out_size;
extern uint8_t hosted_nvram[8192];
#endif
