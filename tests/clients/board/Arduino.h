// A board that is not there: the Arduino core's functions over a pty, a clock and standard input.
//
// `press` on standard input presses the button; each change of the lamp is printed, and so is
// whether the sketch is `busy` with a roll or `idle`. What it does not simulate: the 64 bytes of a
// real board's receive buffer, contact bounce, and resets.

#ifndef ARDUINO_H
#define ARDUINO_H

#include <stddef.h>
#include <stdint.h>

const uint8_t LOW = 0, HIGH = 1;
const uint8_t INPUT_PULLUP = 2, OUTPUT = 1;
const uint8_t A0 = 14;

void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
int digitalRead(uint8_t pin);
int analogRead(uint8_t pin);
unsigned long millis();
unsigned long micros();

class BoardSerial {
 public:
  void begin(unsigned long baud);
  int available();
  int read();
  size_t print(const char* text);

 private:
  int waiting_ = -1;
};

extern BoardSerial Serial;

void setup();
void loop();

#endif
