/* The firmware on a Cortex-M3 (LM3S6965) without any library.
 * Run: qemu-system-arm -M lm3s6965evb -nographic -monitor none -serial pty -kernel shoe-arm.elf
 *
 * Its memory is RAM: what must survive power loss does not here, and so this build is for the bench of the bench.
 */
#include <stddef.h>

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

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define UART(offset) REGISTER(0x4000C000u + (offset))
enum { DATA = 0x00, FLAGS = 0x18, INTEGER = 0x24, FRACTION = 0x28, LINE = 0x2C, CONTROL = 0x30, MASK = 0x38, CLEAR = 0x44 };
enum { RX_EMPTY = 0x10, TX_FULL = 0x20, BUSY = 0x08, EIGHT_BITS = 0x60, RX_INTERRUPT = 0x10, ENABLE = 0x301, UART0_IRQ = 5 };
#define RCC REGISTER(0x400FE060u)
#define RCGC1 REGISTER(0x400FE104u)
#define SYSTICK_CONTROL REGISTER(0xE000E010u)
#define SYSTICK_RELOAD REGISTER(0xE000E014u)
#define NVIC_ENABLE REGISTER(0xE000E100u)
#ifndef BENCH_SPEED
#define BENCH_SPEED 1 /* its clock runs so many times as fast */
#endif
enum { NVRAM_SIZE = 1024, CYCLES_A_MS = 12500 / BENCH_SPEED }; /* 200 MHz by 16 */
#define RCC_DIVIDE_BY_16 (0xFu << 23 | 1u << 22)

extern uint32_t stack_top, bss_start, bss_end;
static volatile uint8_t rx[256], rx_head, rx_tail;
static volatile uint32_t ticks;
static uint8_t nvram[NVRAM_SIZE];

/* The compiler may call these by itself. */
void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  uint8_t *t = to;
  const uint8_t *f = from;
  while (size--) *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t size) {
  uint8_t *t = to;
  while (size--) *t++ = (uint8_t)value;
  return to;
}

static void uart_interrupt(void) {
  while (!(UART(FLAGS) & RX_EMPTY)) {
    rx[rx_head] = (uint8_t)UART(DATA);
    rx_head++;
  }
  UART(CLEAR) = 0x7FF;
}

static void tick(void) { ticks++; }

static void halt(void) {
  for (;;) {
  }
}

uint32_t hal_now_ms(void) { return ticks; }
uint32_t bench_now_ms(void) { return ticks; }

void hal_put(uint8_t byte) {
  while (UART(FLAGS) & TX_FULL) {
  }
  UART(DATA) = byte;
}

bool hal_sent(void) { return !(UART(FLAGS) & BUSY); }

void hal_nvram_read(uint16_t at, uint8_t *to, uint16_t size) { memcpy(to, nvram + at, size); }
void hal_nvram_write(uint16_t at, const uint8_t *from, uint16_t size) { memcpy(nvram + at, from, size); }

static void set_up(void) {
  RCC = (RCC & ~(0x1Fu << 22)) | RCC_DIVIDE_BY_16;
  RCGC1 |= 1;
  UART(CONTROL) = 0;
  UART(INTEGER) = 6; /* 12.5 MHz / 16 / 115200 = 6.78 */
  UART(FRACTION) = 50;
  UART(LINE) = EIGHT_BITS;
  UART(MASK) = RX_INTERRUPT;
  UART(CONTROL) = ENABLE;
  NVIC_ENABLE = 1u << UART0_IRQ;
  SYSTICK_RELOAD = CYCLES_A_MS - 1;
  SYSTICK_CONTROL = 7;
}

void reset(void) {
  for (uint32_t *p = &bss_start; p < &bss_end; p++) *p = 0;
  memset(nvram, 0xFF, NVRAM_SIZE);
  set_up();
  bench.card_ms = BENCH_CARD_MS;
  bench.count_ms = BENCH_COUNT_MS;
  bench.hand_ms = BENCH_HAND_MS;
  bench.doubles_in_256 = BENCH_DOUBLES;
  bench.seed = BENCH_SEED;
  bench_start();
  shoe_start(BOOT_CAUSE_POWER_ON);
  for (;;) {
    while (rx_head != rx_tail) {
      uint8_t byte = rx[rx_tail];
      rx_tail++;
      link_receive(byte);
    }
    shoe_tick();
    link_tick();
    __asm volatile("wfi"); /* a byte that comes just before this waits a millisecond at most */
  }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + UART0_IRQ + 1])(void) = {
    [0] = (void (*)(void))&stack_top, [1] = reset,  [2] = halt,  [3] = halt,  [4] = halt,  [5] = halt,
    [6] = halt,                       [11] = halt,  [12] = halt, [14] = halt, [15] = tick, [16 + UART0_IRQ] = uart_interrupt,
};
