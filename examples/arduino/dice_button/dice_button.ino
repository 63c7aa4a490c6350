// A button that rolls, and a lamp that tells how it went.
//
// Needs: any Arduino board with 2 KB of RAM or more; no library.
//
// Wiring:
//   button  between pin 2 and GND (the board's own pull-up is used)
//   LED     the one on the board, or pin 13 -> 330 ohm -> LED -> GND
//   station a USB cable from the board to the Raspberry Pi, which is all it takes. The port is
//           then called /dev/serial/by-id/usb-Arduino... in the station's configuration.
//           Without USB, on a board with a second serial port: set STATION to Serial1, join GND
//           to GND, the board's TX to the Pi's GPIO 15 (RX), its RX to the Pi's GPIO 14 (TX).
//           A 5 V board must not drive GPIO 15 directly: put a level shifter between, or two
//           resistors (1k from TX to GPIO 15, 2k from there to GND).
//
// The lamp: lit for 3 s on a success, three blinks on a failure, a flicker where nobody answers
// or the station refuses. It tells of rolls made at the table as well.

#include "dice_line.h"

#ifndef STATION
#define STATION Serial
#endif

const uint8_t BUTTON = 2;
const uint8_t LAMP = 13;
const unsigned long BAUD = 115200;

// What a press rolls, as typed; brief=yes keeps the answer short.
const char REQUEST[] = "roll 3D+2B vs 9 brief=yes";

const uint32_t BOUNCE = 20;  // ms for the contact to settle

struct Pattern {
  uint8_t flashes;
  uint16_t on, off;  // ms
};
const Pattern SUCCESS = {1, 3000, 1};
const Pattern FAILURE = {3, 150, 150};
const Pattern TROUBLE = {12, 40, 40};

void sendText(const char* text) { STATION.print(text); }

dice::Client station(sendText);

Pattern playing = {0, 0, 0};
uint32_t playedSince = 0;

void play(const Pattern& pattern) {
  playing = pattern;
  playedSince = millis();
}

void lamp() {
  uint32_t flash = (uint32_t)playing.on + playing.off;
  uint32_t since = millis() - playedSince;
  bool lit = playing.flashes > 0 && since < flash * playing.flashes && since % flash < playing.on;
  digitalWrite(LAMP, lit ? HIGH : LOW);
}

bool pressed() {
  static bool down = false;
  static uint32_t changed = 0;
  bool now = digitalRead(BUTTON) == LOW;
  if (now == down || millis() - changed < BOUNCE) return false;
  down = now;
  changed = millis();
  return down;
}

void tell(dice::News news) {
  switch (news) {
    case dice::ROLLED:
    case dice::AT_TABLE:
      play(station.roll.success == dice::Roll::NO ? FAILURE : SUCCESS);
      break;
    case dice::REFUSED:
    case dice::NO_ANSWER:
      play(TROUBLE);
      break;
    case dice::NOTHING:
      break;
  }
}

void setup() {
  pinMode(BUTTON, INPUT_PULLUP);
  pinMode(LAMP, OUTPUT);
  STATION.begin(BAUD);
  // Keys must not repeat after a reset. An open pin is noise, though perhaps a poor one.
  for (uint8_t i = 0; i < 32; i++) station.stir((uint32_t)analogRead(A0));
}

void loop() {
  if (pressed()) {
    // No hand presses at the same microsecond after two starts.
    station.stir(micros());
    station.ask(REQUEST, millis());
  }
  while (STATION.available() > 0) tell(station.take((char)STATION.read(), millis()));
  tell(station.tick(millis()));
  lamp();
}
