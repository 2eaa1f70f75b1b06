/* The firmware on an ATmega328P: interrupts for the line and the millisecond, EEPROM for the memory; sleeps when idle.
 *
 * Flash it as it is (make a board's UART 115200, the oscillator 16 MHz), or run it in simavr.
 */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "bench.h"
#include "hal.h"
#include "link.h"
#include "shoe.h"

#ifndef BENCH_CARD_MS
#define BENCH_CARD_MS 500
#define BENCH_COUNT_MS 100
#define BENCH_HAND_MS 1500
#define BENCH_DOUBLES 0
#define BENCH_SEED 1
#endif
enum { RX_SIZE = 256, TX_SIZE = 128 }; /* what comes while a byte of EEPROM is written must find room */

static volatile uint8_t rx[RX_SIZE], rx_head, rx_tail;
static volatile uint8_t tx[TX_SIZE], tx_head, tx_tail;
static volatile bool tx_busy;
static volatile uint32_t ticks;

ISR(USART_RX_vect) {
  uint8_t byte = UDR0, next = (uint8_t)(rx_head + 1);
  if (next == rx_tail) return; /* full: lost, as on a line; the check finds it */
  rx[rx_head] = byte;
  rx_head = next;
}

ISR(USART_UDRE_vect) {
  if (tx_head == tx_tail) {
    UCSR0B &= (uint8_t)~_BV(UDRIE0);
    return;
  }
  UCSR0A |= _BV(TXC0);
  UDR0 = tx[tx_tail];
  tx_tail = (uint8_t)((tx_tail + 1) % TX_SIZE);
}

ISR(USART_TX_vect) {
  if (tx_head == tx_tail) tx_busy = false;
}

ISR(TIMER0_COMPA_vect) { ticks++; }

EMPTY_INTERRUPT(EE_READY_vect)

uint32_t hal_now_ms(void) {
  cli();
  uint32_t now = ticks;
  sei();
  return now;
}

uint32_t bench_now_ms(void) { return hal_now_ms(); }

void hal_put(uint8_t byte) {
  uint8_t next = (uint8_t)((tx_head + 1) % TX_SIZE);
  while (next == tx_tail) {
  }
  tx[tx_head] = byte;
  cli();
  tx_head = next;
  tx_busy = true;
  UCSR0B |= _BV(UDRIE0);
  sei();
}

bool hal_sent(void) { return !tx_busy; }

void hal_nvram_read(uint16_t at, uint8_t *to, uint16_t size) {
  eeprom_read_block(to, (const void *)(uintptr_t)at, size);
}

static void write_byte(uint16_t at, uint8_t byte) {
  EEAR = at;
  EEDR = byte;
  cli();
  EECR |= _BV(EEMPE);
  EECR |= _BV(EEPE);
  sei();
  for (;;) { /* 3.4 ms: sleep, but never past the end of it */
    cli();
    if (!(EECR & _BV(EEPE))) break;
    EECR |= _BV(EERIE);
    sleep_enable();
    sei(); /* takes effect after the next instruction, so no interrupt slips in between */
    sleep_cpu();
    sleep_disable();
    EECR &= (uint8_t)~_BV(EERIE);
  }
  EECR &= (uint8_t)~_BV(EERIE);
  sei();
}

void hal_nvram_write(uint16_t at, const uint8_t *from, uint16_t size) {
  for (uint16_t i = 0; i < size; i++) {
    uint8_t *place = (uint8_t *)(uintptr_t)(at + i);
    if (eeprom_read_byte(place) != from[i]) write_byte((uint16_t)(at + i), from[i]);
  }
}

static void set_up(void) {
  UCSR0A = _BV(U2X0);
  UBRR0 = 16; /* 115200 at 16 MHz with U2X: 2.1 % fast, as on every such board */
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
  UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0) | _BV(TXCIE0);
  TCCR0A = _BV(WGM01);
  TCCR0B = _BV(CS01) | _BV(CS00); /* 16 MHz / 64 / 250: a millisecond */
  OCR0A = 249;
  TIMSK0 = _BV(OCIE0A);
  SMCR = 0; /* the sleep is idle: line and clock go on */
  sei();
}

static void sleep_if_idle(void) {
  cli();
  if (rx_head != rx_tail) {
    sei();
    return;
  }
  sleep_enable();
  sei();
  sleep_cpu(); /* until a byte or the next millisecond */
  sleep_disable();
}

static uint8_t boot_cause(void) {
  uint8_t why = MCUSR;
  MCUSR = 0;
  if (why & _BV(WDRF)) return BOOT_CAUSE_WATCHDOG;
  return why & _BV(EXTRF) ? BOOT_CAUSE_RESET : BOOT_CAUSE_POWER_ON;
}

int main(void) {
  uint8_t cause = boot_cause();
  set_up();
  bench.card_ms = BENCH_CARD_MS;
  bench.count_ms = BENCH_COUNT_MS;
  bench.hand_ms = BENCH_HAND_MS;
  bench.doubles_in_256 = BENCH_DOUBLES;
  bench.seed = BENCH_SEED;
  bench_start();
  shoe_start(cause);
  for (;;) {
    while (rx_head != rx_tail) {
      uint8_t byte = rx[rx_tail];
      rx_tail = (uint8_t)(rx_tail + 1);
      link_receive(byte);
    }
    shoe_tick();
    link_tick();
    sleep_if_idle();
  }
}
