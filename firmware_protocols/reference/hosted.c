/* Owns the machine side of hal.h on a PC, and the moments at which power can go (hands.h). */
#include "hosted.h"

#include <setjmp.h>
#include <string.h>

#include "bench.h"
#include "hal.h"
#include "hands.h"
#include "link.h"
#include "shoe.h"

enum { CATCH_UP_MS = 60000, ROWS_AT = 128, ROW_SIZE = 14, RING_AT = 1024, EVENT_TYPE_AT = 16 };

uint8_t hosted_out[HOSTED_OUT];
uint16_t hosted_out_size;
uint8_t hosted_nvram[8192];

static uint32_t now, started, off_since;
static jmp_buf power_gone;
static bool ready_stored;

uint32_t bench_now_ms(void) { return now; }
uint32_t hal_now_ms(void) { return now - started; }
bool hal_sent(void) { return true; } /* what was put has left: the process hands it over before it runs again */

void hal_put(uint8_t byte) {
  if (hosted_out_size < HOSTED_OUT) hosted_out[hosted_out_size++] = byte; /* nobody reads: as on a line, it is lost */
}

static void cut_power_if(uint8_t place) {
  if (power.cut_at == place) longjmp(power_gone, 1);
}

void hal_nvram_read(uint16_t at, uint8_t *to, uint16_t size) { memcpy(to, hosted_nvram + at, size); }

void hal_nvram_write(uint16_t at, const uint8_t *from, uint16_t size) {
  memcpy(hosted_nvram + at, from, size);
  if (at >= ROWS_AT && at < RING_AT && size == ROW_SIZE) cut_power_if(CUT_RECORDED);
  if (at >= RING_AT) ready_stored = from[EVENT_TYPE_AT] == MSG_STACK_READY;
  if (at < ROWS_AT && ready_stored) {
    ready_stored = false;
    cut_power_if(CUT_READY);
  }
}

static void lose_power(void) {
  power.on = false;
  power.cut_at = CUT_NONE;
  off_since = now;
  bench_power();
}

static void restart(uint8_t cause) {
  started = now;
  ready_stored = false;
  bench_power();
  shoe_start(cause);
}

void hosted_start(void) {
  memset(hosted_nvram, 0xFF, sizeof hosted_nvram);
  power = (power_t){.on = true};
  bench_start();
  restart(BOOT_CAUSE_POWER_ON);
}

static void run(void) {
  shoe_tick();
  link_tick();
  if (power.cut_at == CUT_COVERED && hal_sense() & SENSE_EXIT && bench.fed + 1 == power.cut_card) lose_power();
}

static void tick(void) {
  if (!power.on && power.on_after_ms && now - off_since >= power.on_after_ms) {
    power.on_after_ms = 0;
    power.on = true;
    power.restart = BOOT_CAUSE_POWER_ON;
  }
  if (!power.on) {
    hal_sense(); /* hands do not need current */
    return;
  }
  if (setjmp(power_gone)) {
    lose_power();
    return;
  }
  if (power.restart) {
    restart(power.restart);
    power.restart = 0;
  }
  run();
}

void hosted_tick(uint32_t now_ms) {
  if (now_ms < now || now_ms - now > CATCH_UP_MS) now = now_ms; /* the process was stopped: it does not catch up */
  do {
    if (now < now_ms) now++;
    tick();
  } while (now < now_ms);
}

void hosted_byte(uint8_t byte) {
  if (power.restart) tick(); /* whoever asked for it is not to be answered by the start before */
  if (!power.on) return;
  if (setjmp(power_gone)) {
    lose_power();
    return;
  }
  bool idle = !feed_running();
  link_receive(byte);
  if (idle && feed_running() && power.cut_at == CUT_ACCEPTED) lose_power();
}
