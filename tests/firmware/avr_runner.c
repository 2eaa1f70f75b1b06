/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a program for the ATmega328P in libsimavr, its UART on a pty; prints the name of the port.
 *
 * A separate program of the tests: libsimavr is GPL-3, so this file is never linked into the product nor shipped with it.
 *
 * Run    avr_runner PROGRAM.elf [-r] [-l LOG]
 *        -r: the AVR keeps to the wall clock; without it runs up to RUSH times as fast
 *        -l: writes "in CYCLE" and "out CYCLE BYTE" for every byte of the line, in the AVR's own cycles
 * Build  cc -O2 -o avr_runner avr_runner.c -lsimavr -lelf
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_HZ 16000000ull
#define BYTE_CYCLES 1389ull  /* ten bits at 115200 */
#define SLICE_CYCLES 16000ull /* a millisecond between two looks at the pty */
#define RUSH 20ull

static struct {
  int pty;
  FILE *log;
  bool ready; /* the UART takes a byte */
  avr_t *avr;
  unsigned char queue[65536];
  uint16_t first, behind;
  avr_cycle_count_t next_byte;
} line = {.ready = true};
static volatile sig_atomic_t ended;

static void sent(struct avr_irq_t *irq, uint32_t value, void *unused) {
  (void)irq, (void)unused;
  unsigned char byte = (unsigned char)value;
  if (line.log) fprintf(line.log, "out %llu %u\n", (unsigned long long)line.avr->cycle, byte);
  while (write(line.pty, &byte, 1) != 1 && !ended) {
    struct pollfd room = {line.pty, POLLOUT, 0};
    poll(&room, 1, 100);
  }
}

static void takes(struct avr_irq_t *irq, uint32_t value, void *unused) {
  (void)irq, (void)value, (void)unused;
  line.ready = true;
}

static void is_full(struct avr_irq_t *irq, uint32_t value, void *unused) {
  (void)irq, (void)value, (void)unused;
  line.ready = false;
}

static void end(int number) {
  (void)number;
  ended = 1;
}

/* simavr would sleep in real time; the loop below keeps the time itself. */
static void pass_over(avr_t *avr, avr_cycle_count_t cycles) {
  (void)avr, (void)cycles;
}

static void give_up(const char *what) {
  perror(what);
  exit(1);
}

static void load(const char *program) {
  static elf_firmware_t loaded;
  if (elf_read_firmware(program, &loaded)) give_up(program);
  line.avr = avr_make_mcu_by_name("atmega328p");
  if (!line.avr) give_up("simavr knows no atmega328p");
  avr_init(line.avr);
  avr_load_firmware(line.avr, &loaded);
  line.avr->frequency = CLOCK_HZ;
  line.avr->sleep = pass_over;
  uint32_t flags = 0;
  avr_ioctl(line.avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
  flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
  avr_ioctl(line.avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  uint32_t uart = AVR_IOCTL_UART_GETIRQ('0');
  avr_irq_register_notify(avr_io_getirq(line.avr, uart, UART_IRQ_OUTPUT), sent, NULL);
  avr_irq_register_notify(avr_io_getirq(line.avr, uart, UART_IRQ_OUT_XON), takes, NULL);
  avr_irq_register_notify(avr_io_getirq(line.avr, uart, UART_IRQ_OUT_XOFF), is_full, NULL);
}

static void open_pty(void) {
  line.pty = posix_openpt(O_RDWR | O_NOCTTY);
  if (line.pty < 0 || grantpt(line.pty) || unlockpt(line.pty)) give_up("no pseudo-terminal");
  int port = open(ptsname(line.pty), O_RDWR | O_NOCTTY); /* held open, or a client that leaves is a hang-up */
  struct termios mode;
  if (port < 0 || tcgetattr(port, &mode)) give_up("the pseudo-terminal cannot be set up");
  cfmakeraw(&mode);
  tcsetattr(port, TCSANOW, &mode);
  fcntl(line.pty, F_SETFL, O_NONBLOCK);
  printf("%s\n", ptsname(line.pty));
  fflush(stdout);
}

static void run_slice(avr_irq_t *input) {
  for (avr_cycle_count_t until = line.avr->cycle + SLICE_CYCLES; line.avr->cycle < until;) {
    if (line.first != line.behind && line.ready && line.avr->cycle >= line.next_byte) {
      if (line.log) fprintf(line.log, "in %llu\n", (unsigned long long)line.avr->cycle);
      line.next_byte = line.avr->cycle + BYTE_CYCLES;
      avr_raise_irq(input, line.queue[line.first++]);
    }
    int state = avr_run(line.avr);
    if (state != cpu_Done && state != cpu_Crashed) continue;
    fprintf(stderr, "the AVR stopped in state %d\n", state);
    exit(2);
  }
}

static void read_pty(void) {
  unsigned char block[1024];
  ssize_t n = read(line.pty, block, sizeof block);
  for (ssize_t i = 0; i < n; i++) line.queue[line.behind++] = block[i];
}

static uint64_t wall_cycles(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * CLOCK_HZ + (uint64_t)t.tv_nsec * CLOCK_HZ / 1000000000ull;
}

int main(int argc, char **argv) {
  uint64_t rush = RUSH;
  if (argc < 2) return 64;
  for (int i = 2; i < argc; i++) {
    if (!strcmp(argv[i], "-r")) rush = 1;
    else if (!strcmp(argv[i], "-l") && i + 1 < argc) line.log = fopen(argv[++i], "w");
    else return 64;
  }
  load(argv[1]);
  struct sigaction on_end = {.sa_handler = end};
  sigaction(SIGTERM, &on_end, NULL);
  sigaction(SIGINT, &on_end, NULL);
  open_pty();
  avr_irq_t *input = avr_io_getirq(line.avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  uint64_t began = wall_cycles();
  while (!ended) {
    run_slice(input);
    int64_t ahead = (int64_t)(line.avr->cycle / rush) - (int64_t)(wall_cycles() - began);
    if (ahead < -(int64_t)CLOCK_HZ / 50) began -= (uint64_t)ahead; /* it was stopped: do not catch up */
    if (ahead > 0) {
      struct pollfd come = {line.pty, POLLIN, 0};
      struct timespec pause = {0, (long)((uint64_t)ahead * 1000000000ull / CLOCK_HZ % 1000000000ull)};
      ppoll(&come, 1, &pause, NULL);
    }
    read_pty();
  }
  if (line.log) fclose(line.log);
  return 0;
}
