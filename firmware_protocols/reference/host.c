/* The firmware as a process on a pty, in real time; prints the name of the port.
 *
 * Run     host [--control SOCKET] [--speed N] [--card-ms N] [--count-ms N] [--hand-ms N] [--doubles N] [--seed N]
 *         --control: a UNIX socket for hands and faults (hands.h); --speed: its clock runs N times as fast
 * Ends    with SIGTERM, or when its standard input is closed.
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "hands.h"
#include "hosted.h"

static unsigned long speed = 1;
static const char *control_name;

static uint32_t clock_ms(void) {
  static struct timespec began;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  if (began.tv_sec == 0) began = t;
  int64_t passed_us = (t.tv_sec - began.tv_sec) * 1000000ll + (t.tv_nsec - began.tv_nsec) / 1000;
  return (uint32_t)((uint64_t)passed_us * speed / 1000);
}

static int fail(const char *what) {
  perror(what);
  exit(1);
}

static int open_line(void) {
  int line = posix_openpt(O_RDWR | O_NOCTTY);
  if (line < 0 || grantpt(line) || unlockpt(line)) fail("no pseudo-terminal");
  int port = open(ptsname(line), O_RDWR | O_NOCTTY); /* held open: closing the client is not a hang-up */
  struct termios t;
  if (port < 0 || tcgetattr(port, &t)) fail("the pseudo-terminal cannot be set up");
  cfmakeraw(&t);
  tcsetattr(port, TCSANOW, &t);
  fcntl(line, F_SETFL, O_NONBLOCK);
  printf("%s\n", ptsname(line));
  fflush(stdout);
  return line;
}

static int open_control(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!control_name) return -1;
  if (strlen(control_name) >= sizeof address.sun_path) {
    fprintf(stderr, "--control %s: the name is longer than a socket's may be; choose a shorter one\n", control_name);
    exit(64);
  }
  strcpy(address.sun_path, control_name);
  int control = socket(AF_UNIX, SOCK_STREAM, 0);
  if (control < 0 || bind(control, (struct sockaddr *)&address, sizeof address) || listen(control, 4)) fail(control_name);
  return control;
}

static void answer_control(int control) {
  char request[1024], answer[512];
  size_t held = 0;
  int asked = accept(control, NULL, NULL);
  if (asked < 0) return;
  while (held + 1 < sizeof request) {
    ssize_t n = read(asked, request + held, sizeof request - 1 - held);
    if (n <= 0) break;
    held += (size_t)n;
    if (request[held - 1] == '\n') break;
  }
  request[held] = 0;
  hosted_tick(clock_ms());
  hands_do(request, answer, sizeof answer);
  if (write(asked, answer, strlen(answer)) < 0) perror("the control socket's answer was not taken");
  close(asked);
}

static void send_out(int line) {
  ssize_t done = 0;
  while (done < hosted_out_size) {
    ssize_t n = write(line, hosted_out + done, (size_t)(hosted_out_size - done));
    if (n <= 0) break; /* nobody reads: what does not fit is lost, as on a line */
    done += n;
  }
  hosted_out_size = 0;
}

static void read_options(int argc, char **argv) {
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *text = i + 1 < argc ? argv[i + 1] : "";
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    bool number = *text && !*end && value <= 0xFFFFFFFFul;
    if (!strcmp(name, "--control") && *text) control_name = text;
    else if (number && value && !strcmp(name, "--speed")) speed = value;
    else if (number && value && value <= 10000 && !strcmp(name, "--card-ms")) bench.card_ms = (uint16_t)value;
    else if (number && value && value <= 10000 && !strcmp(name, "--count-ms")) bench.count_ms = (uint16_t)value;
    else if (number && value <= 60000 && !strcmp(name, "--hand-ms")) bench.hand_ms = (uint16_t)value;
    else if (number && value <= 255 && !strcmp(name, "--doubles")) bench.doubles_in_256 = (uint8_t)value;
    else if (number && !strcmp(name, "--seed")) bench.seed = (uint32_t)value;
    else {
      fprintf(stderr, "%s %s is no option of this program, or its value is out of range; see the head of host.c\n", name, text);
      exit(64);
    }
  }
}

int main(int argc, char **argv) {
  bench.card_ms = 500;
  bench.count_ms = 100;
  bench.seed = 1;
  read_options(argc, argv);
  int control = open_control(), line = open_line();
  hosted_start();
  for (;;) {
    struct pollfd wait[3] = {{line, POLLIN, 0}, {control, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    unsigned char in[512];
    poll(wait, 3, 1);
    if (wait[2].revents) return 0;
    if (wait[1].revents) answer_control(control);
    ssize_t n = wait[0].revents & POLLIN ? read(line, in, sizeof in) : 0;
    hosted_tick(clock_ms());
    for (ssize_t i = 0; i < n; i++) hosted_byte(in[i]);
    hosted_tick(clock_ms());
    send_out(line);
  }
}
