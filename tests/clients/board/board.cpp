#include "Arduino.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

BoardSerial Serial;

static const char* path;
static int port = -1;
static unsigned long heldUntil = 0;
static int lit = -1;

static uint64_t microseconds() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

unsigned long micros() { return (unsigned long)microseconds(); }
unsigned long millis() { return (unsigned long)(microseconds() / 1000); }

void pinMode(uint8_t, uint8_t) {}
int analogRead(uint8_t) { return (int)(micros() & 1023); }
int digitalRead(uint8_t) { return millis() < heldUntil ? LOW : HIGH; }

void digitalWrite(uint8_t, uint8_t level) {
  if (level == lit) return;
  lit = level;
  printf("lamp %s\n", level ? "on" : "off");
  fflush(stdout);
}

static void mustHavePort() {
  if (port >= 0) return;
  perror(path);
  exit(1);
}

void BoardSerial::begin(unsigned long) {
  port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
  mustHavePort();
}

int BoardSerial::available() {
  unsigned char byte;
  if (waiting_ < 0 && ::read(port, &byte, 1) == 1) waiting_ = byte;
  return waiting_ >= 0;
}

int BoardSerial::read() {
  int byte = available() ? waiting_ : -1;
  waiting_ = -1;
  return byte;
}

size_t BoardSerial::print(const char* text) {
  ssize_t sent = write(port, text, strlen(text));
  return sent < 0 ? 0 : (size_t)sent;
}

int main(int, char** arguments) {
  path = arguments[1];
  setup();
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  for (;;) {
    loop();
    if (poll(&input, 1, 1) == 0) continue;
    char word[16];
    if (!fgets(word, sizeof word, stdin)) return 0;
    if (!strcmp(word, "press\n")) heldUntil = millis() + 100;
  }
}
