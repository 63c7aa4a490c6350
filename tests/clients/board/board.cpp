#include "Arduino.h"
#include "dice_line.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

BoardSerial Serial;
extern dice::Client station;  // the sketch's

static const char* path;
static int port = -1;

// Rounds of the loop, each a millisecond or more, for which the button stays closed, then open.
static const int LONG = 60;
static int heldFor = 0, openFor = 0;
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
int digitalRead(uint8_t) { return heldFor > 0 ? LOW : HIGH; }

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

// Say when the sketch begins to ask for a roll, and when it is done with it.
static void tellWhetherBusy() {
  static bool busy = false;
  if (station.busy() == busy) return;
  busy = !busy;
  printf(busy ? "busy\n" : "idle\n");
  fflush(stdout);
}

size_t BoardSerial::print(const char* text) {
  // Here too, as an answer may come before the loop has ended.
  tellWhetherBusy();
  ssize_t sent = write(port, text, strlen(text));
  return sent < 0 ? 0 : (size_t)sent;
}

int main(int, char** arguments) {
  path = arguments[1];
  setup();
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  for (;;) {
    loop();
    tellWhetherBusy();
    usleep(1000);
    if (heldFor > 0 && --heldFor == 0) openFor = LONG;
    if (openFor > 0) openFor--;
    if (heldFor > 0 || openFor > 0 || poll(&input, 1, 0) == 0) continue;
    char word[16];
    if (!fgets(word, sizeof word, stdin)) return 0;
    if (!strcmp(word, "press\n")) heldFor = LONG;
  }
}
