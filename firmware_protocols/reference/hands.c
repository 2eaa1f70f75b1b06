/* Owns the words of the control socket (hands.h); changes the bench and asks for power, nothing else. */
#include "hands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "hal.h"
#include "spec.h"

power_t power = {.on = true};

/* The text behind "key": in a flat JSON object, without quotes; empty when it is not there. */
static void value_of(const char *request, const char *key, char *value, size_t size) {
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(request, quoted);
  size_t n = 0;
  if (at) {
    at += strlen(quoted);
    while (*at == ' ' || *at == '"') at++;
    while (at[n] && !strchr(",\"}\n", at[n]) && n + 1 < size) n++;
    memcpy(value, at, n);
  }
  value[n] = 0;
}

static uint32_t number_of(const char *request, const char *key, uint32_t otherwise) {
  char value[24];
  value_of(request, key, value, sizeof value);
  return *value ? (uint32_t)strtoul(value, NULL, 10) : otherwise;
}

static bool raise_fault(const char *request) {
  static const struct {
    const char *kind;
    uint8_t mishap, condition;
  } kinds[] = {
      {"jam", MISHAP_JAM, 0},           {"double_feed", MISHAP_DOUBLE, 0},          {"short_feed", MISHAP_SHORT, 0},
      {"over_temperature", 0, SENSE_HOT}, {"low_battery", 0, SENSE_BATTERY_LOW}, {"sensor_stuck", 0, SENSE_BROKEN},
  };
  char kind[32];
  value_of(request, "kind", kind, sizeof kind);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kind, kinds[i].kind)) continue;
    bench.conditions |= kinds[i].condition;
    if (kinds[i].mishap) {
      bench.mishap = kinds[i].mishap;
      bench.mishap_card = (uint8_t)number_of(request, "card", 1);
    }
    return true;
  }
  if (!strcmp(kind, "missing_card")) bench.magazine = (uint8_t)(bench.magazine - number_of(request, "cards", 1));
  else if (!strcmp(kind, "extra_card")) bench.magazine++;
  else if (!strcmp(kind, "unexpected_card")) bench_card_falls_out();
  else return false;
  return true;
}

static bool plan_power_cut(const char *request) {
  static const char *const places[] = {"", "recorded", "accepted", "exit_covered", "ready"};
  char at[32];
  value_of(request, "at", at, sizeof at);
  for (uint8_t i = CUT_RECORDED; i <= CUT_READY; i++) {
    if (strcmp(at, places[i])) continue;
    power.cut_at = i;
    power.cut_card = (uint8_t)number_of(request, "card", 1);
    power.on_after_ms = 1000 * number_of(request, "on_after_s", 1);
    return true;
  }
  return false;
}

static bool switch_power(const char *request) {
  char state[8];
  value_of(request, "state", state, sizeof state);
  bool on = !strcmp(state, "on");
  if (on && !power.on) power.restart = BOOT_CAUSE_POWER_ON;
  if (!on) bench_power();
  power.on = on;
  power.on_after_ms = 0;
  return true;
}

static bool reset(const char *request) {
  char cause[16];
  value_of(request, "cause", cause, sizeof cause);
  power.restart = strcmp(cause, "watchdog") ? BOOT_CAUSE_RESET : BOOT_CAUSE_WATCHDOG;
  return true;
}

static bool switch_mode(const char *request) {
  char mode[8];
  value_of(request, "mode", mode, sizeof mode);
  bench.mode = !strcmp(mode, "sort") ? MODE_SORT : !strcmp(mode, "test") ? MODE_TEST : MODE_DEAL;
  return true;
}

static bool press(const char *request) {
  char button[16];
  value_of(request, "button", button, sizeof button);
  if (!strcmp(button, "service")) {
    bench.conditions = 0;
    bench.service = true;
    return true;
  }
  if (strcmp(button, "clear_jam")) return false;
  if (hal_sense() & SENSE_ENTRY) bench.magazine++;
  bench.mishap = MISHAP_NONE;
  bench.at = 0;
  return true;
}

static bool set_bench(const char *request) {
  bench.card_ms = (uint16_t)number_of(request, "card_ms", bench.card_ms);
  bench.count_ms = (uint16_t)number_of(request, "count_ms", bench.count_ms);
  bench.hand_ms = (uint16_t)number_of(request, "hand_ms", bench.hand_ms);
  return true;
}

static bool open_door(const char *request) {
  (void)request;
  bench.door_open = true;
  return true;
}

static bool close_door(const char *request) {
  (void)request;
  bench.door_open = false;
  return true;
}

static bool nothing(const char *request) {
  (void)request;
  return true;
}

static bool fault(const char *request) {
  return strstr(request, "\"power_cut\"") ? plan_power_cut(request) : raise_fault(request);
}

static const struct {
  const char *what;
  bool (*how)(const char *request);
} acts[] = {
    {"fault", fault},         {"power", switch_power}, {"reset", reset},      {"switch_mode", switch_mode}, {"press", press},
    {"open_door", open_door}, {"close_door", close_door}, {"bench", set_bench}, {"counters", nothing},        {"look", nothing},
};

/* The acts that answer with cards. */
static bool handle_cards(const char *what, unsigned *cards) {
  if (!strcmp(what, "take_stack")) {
    *cards = bench.gate;
    bench.gate = 0;
  } else if (!strcmp(what, "remove_stub")) {
    *cards = bench.magazine;
    bench_act(ACT_REMOVE);
  } else if (!strcmp(what, "load_deck")) {
    *cards = BENCH_DECK;
    bench_act(ACT_REPLACE);
  } else {
    return false;
  }
  return true;
}

void hands_do(const char *request, char *answer, unsigned size) {
  char what[24];
  unsigned cards = 0;
  value_of(request, "do", what, sizeof what);
  bool ok = handle_cards(what, &cards);
  for (size_t i = 0; !ok && i < sizeof acts / sizeof *acts; i++) ok = !strcmp(what, acts[i].what) && acts[i].how(request);
  snprintf(answer, size,
           "{\"ok\": %s, \"cards\": %u, \"stacks_dispensed\": %u, \"cards_out\": %u, \"feeds_started\": %u, \"gate\": {\"backs\": %u}}\n",
           ok ? "true" : "false", cards, (unsigned)bench.stacks, (unsigned)bench.cards_out, (unsigned)bench.feeds,
           (unsigned)bench.gate);
}
