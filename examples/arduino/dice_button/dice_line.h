// The dice station's typed lines, for boards with little memory: keys, check, tries, answers.
//
// Needs no library and knows nothing of any board: time (ms) and bytes are handed in, lines go out
// through a function. It takes about 700 bytes of RAM and never allocates.
//
//   > @5f0c81d2-1 roll 3D+2B vs 9 brief=yes*FB08
//   < ok @5f0c81d2-1 seq=812 success=yes value=14 need=9 faces=6,5,3,2,1*AC08
//
// Each line carries a check (`*` and the CRC-16/XMODEM of all before it), so that a damaged one is
// never believed, and each roll a key, so that asking again never rolls again.

#ifndef DICE_LINE_H
#define DICE_LINE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace dice {

const size_t LINE_SIZE = 400;          // longer lines are passed over; a refusal has up to 300
const size_t REQUEST_SIZE = 80;        // what may stand after the key
const size_t CHECK_SIZE = 5;           // '*' and four hex digits
const uint32_t PATIENCE = 1000;        // ms until a request is sent again
const uint8_t TRIES = 30;              // before the person is told that nobody answers
const uint32_t ARRANGE_EVERY = 15000;  // ms: a station that was restarted has forgotten us

inline uint16_t crc(const char* text, size_t length) {
  uint16_t sum = 0;
  for (size_t i = 0; i < length; i++) {
    sum ^= (uint16_t)((uint8_t)text[i] << 8);
    for (uint8_t bit = 0; bit < 8; bit++) {
      sum = (sum & 0x8000) ? (uint16_t)((sum << 1) ^ 0x1021) : (uint16_t)(sum << 1);
    }
  }
  return sum;
}

// Put the check at the end of a line; false if there is no room.
inline bool sign(char* line, size_t size) {
  size_t length = strlen(line);
  if (length + CHECK_SIZE >= size) return false;
  snprintf(line + length, size - length, "*%04X", (unsigned)crc(line, length));
  return true;
}

// Take the check off a line; false if there is none, or it is wrong.
inline bool trusted(char* line) {
  size_t length = strlen(line);
  if (length < CHECK_SIZE || line[length - CHECK_SIZE] != '*') return false;
  char* mark = line + length - CHECK_SIZE;
  char* end;
  unsigned long told = strtoul(mark + 1, &end, 16);
  if (*end != '\0' || told != crc(line, length - CHECK_SIZE)) return false;
  *mark = '\0';
  return true;
}

// Find `name=` and copy its value; false if it is not there.
inline bool value(const char* line, const char* name, char* out, size_t size) {
  size_t length = strlen(name);
  for (const char* at = line; (at = strstr(at, name)) != NULL; at++) {
    if (at == line || at[-1] != ' ' || at[length] != '=') continue;
    const char* from = at + length + 1;
    const char stop = *from == '"' ? '"' : ' ';
    if (stop == '"') from++;
    size_t n = 0;
    while (from[n] != '\0' && from[n] != stop && n + 1 < size) {
      out[n] = from[n];
      n++;
    }
    out[n] = '\0';
    return true;
  }
  return false;
}

inline long number(const char* line, const char* name, long otherwise) {
  char text[12];
  return value(line, name, text, sizeof text) ? strtol(text, NULL, 10) : otherwise;
}

inline bool starts(const char* line, const char* with) {
  return strncmp(line, with, strlen(with)) == 0;
}

// Bytes to lines, in whatever pieces they come.
class Reader {
 public:
  // Return whether this byte ended a line, which `line` then holds.
  bool add(char byte) {
    if (byte == '\r' || byte == '\n') {
      line[length_] = '\0';
      tooLong = tooLong_;
      bool any = length_ > 0;
      length_ = 0;
      tooLong_ = false;
      return any;
    }
    if (length_ + 1 < LINE_SIZE) {
      line[length_++] = byte;
    } else {
      tooLong_ = true;
    }
    return false;
  }

  char line[LINE_SIZE];
  bool tooLong = false;

 private:
  size_t length_ = 0;
  bool tooLong_ = false;
};

struct Roll {
  long seq;
  enum { NO, YES, NEITHER } success;  // an opposed roll has a winner, and no success
  long value, need;
};

enum News {
  NOTHING,
  ROLLED,     // our own roll; see `roll`
  AT_TABLE,   // somebody rolled at the station; see `roll`
  REFUSED,    // the station refused; see `code`, nothing was rolled
  NO_ANSWER,  // nobody answers; the next `ask` goes on with the same roll
};

class Client {
 public:
  // `send` sends text.
  explicit Client(void (*send)(const char* text)) : send_(send) {}

  // Mix into the id with which keys begin: it should never be the same after two starts.
  void stir(uint32_t noise) {
    if (state_ == IDLE) id_ = (id_ ^ noise) * 1664525u + 1013904223u;
  }

  // Ask for a roll, such as "roll 3D+2B vs 9 brief=yes"; false while one is in work.
  //
  // After NO_ANSWER the request is not looked at: whether the last one was rolled is not known,
  // so it is asked for again, with its own key.
  bool ask(const char* request, uint32_t now) {
    if (state_ == ASKING) return false;
    keyIsNew_ = state_ != IN_DOUBT;
    if (keyIsNew_) {
      if (strlen(request) >= REQUEST_SIZE) return false;
      strcpy(request_, request);
      count_++;
    }
    state_ = ASKING;
    tries_ = 0;
    refused_ = false;
    sendRequest(now);
    return true;
  }

  bool busy() const { return state_ == ASKING; }

  // Do what has come due.
  News tick(uint32_t now) {
    if (state_ == ASKING && now - sent_ >= PATIENCE) {
      if (tries_ >= TRIES) {
        state_ = IN_DOUBT;
        return NO_ANSWER;
      }
      sendRequest(now);
    } else if (state_ != ASKING && (!everArranged_ || now - arranged_ >= ARRANGE_EVERY)) {
      arrange(now);
    }
    return NOTHING;
  }

  // Take a byte from the station.
  News take(char byte, uint32_t now) {
    if (!reader_.add(byte) || reader_.tooLong || !trusted(reader_.line)) return NOTHING;
    const char* line = reader_.line;
    if (starts(line, "ev event=rolled ")) {
      read(line);
      return AT_TABLE;
    }
    if (state_ != ASKING) return NOTHING;
    if (starts(line, "err code=-32001")) {
      // Our line came to harm on its way; the station could not tell whose it was.
      if (tries_ < TRIES) sendRequest(now);
      return NOTHING;
    }
    const bool ok = starts(line, "ok @");
    if (!ok && !starts(line, "err @")) return NOTHING;
    char key[KEY_SIZE];
    writeKey(key);
    const char* told = strchr(line, '@') + 1;
    if (!starts(told, key) || told[strlen(key)] != ' ') return NOTHING;
    return answered(line, ok, now);
  }

  Roll roll;
  long code = 0;

 private:
  static const size_t KEY_SIZE = 20;
  static const long KEY_REUSED = -32002;
  enum State { IDLE, ASKING, IN_DOUBT };

  News answered(const char* line, bool ok, uint32_t now) {
    code = ok ? 0 : number(line, "code", 0);
    const bool replayed = ok && strstr(line, " replayed=yes") != NULL;
    if (code == KEY_REUSED || (replayed && keyIsNew_ && tries_ == 1)) {
      // An earlier start of this board had the same id: that roll is not ours.
      id_ = (id_ ^ now) * 1664525u + 1013904223u;
      keyIsNew_ = true;
      tries_ = 0;
      sendRequest(now);
      return NOTHING;
    }
    if (!ok && !refused_) {
      // One damaged request in 65,536 looked right to the station: it must refuse twice.
      refused_ = true;
      sendRequest(now);
      return NOTHING;
    }
    state_ = IDLE;
    if (!ok) return REFUSED;
    read(line);
    return ROLLED;
  }

  void read(const char* line) {
    char success[8];
    roll.seq = number(line, "seq", 0);
    roll.value = number(line, "value", 0);
    roll.need = number(line, "need", 0);
    roll.success = Roll::NEITHER;
    if (value(line, "success", success, sizeof success)) {
      roll.success = strcmp(success, "yes") == 0 ? Roll::YES : Roll::NO;
    }
  }

  void writeKey(char* out) const {
    snprintf(out, KEY_SIZE, "%08lx-%lu", (unsigned long)id_, (unsigned long)count_);
  }

  void sendRequest(uint32_t now) {
    char line[KEY_SIZE + REQUEST_SIZE + CHECK_SIZE + 3];
    line[0] = '@';
    writeKey(line + 1);
    strcat(line, " ");
    strcat(line, request_);
    sent_ = now;
    tries_++;
    sendLine(line, sizeof line);
  }

  // Ask for a check on each line, events too, and to be told of rolls. Asking twice does no harm.
  void arrange(uint32_t now) {
    char line[48];
    strcpy(line, "hello check=yes");
    sendLine(line, sizeof line);
    strcpy(line, "subscribe rolled brief=yes");
    sendLine(line, sizeof line);
    arranged_ = now;
    everArranged_ = true;
  }

  void sendLine(char* line, size_t size) {
    sign(line, size);
    // The empty line ends what a reset or a bad contact may have left of another.
    send_("\r\n");
    send_(line);
    send_("\r\n");
  }

  void (*send_)(const char*);
  uint32_t id_ = 0;
  uint32_t count_ = 0;
  State state_ = IDLE;
  char request_[REQUEST_SIZE];
  uint8_t tries_ = 0;
  bool refused_ = false;
  bool keyIsNew_ = true;  // to `ask`; one that was in doubt may have been heard then
  uint32_t sent_ = 0;
  uint32_t arranged_ = 0;
  bool everArranged_ = false;
  Reader reader_;
};

}  // namespace dice

#endif
