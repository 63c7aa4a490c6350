// A dice station from Node: requests as promises, events as events.
//
// Needs: Node 18 or later, and in this folder `npm install` (serialport, json-rpc-2.0).
// Wiring: a USB serial adapter with 3.3 V levels (FTDI, CP2102, CH340) on this computer:
//         adapter TX -> GPIO 15 (RX, pin 10) of the station's Raspberry Pi, adapter RX <- GPIO 14
//         (TX, pin 8), GND -- GND (pin 6). Or the Pi's own USB gadget port: one cable.
//
//   const station = new DiceStation("/dev/ttyUSB0");
//   station.on("rolled", (roll) => console.log(roll.outcome.explanation));
//   await station.open();
//   const roll = await station.roll({ system: "wrath-and-glory", kind: "test", pool: 6 });

import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { JSONRPCClient, JSONRPCErrorException, JSONRPCServer, JSONRPCServerAndClient } from "json-rpc-2.0";
import { ReadlineParser, SerialPort } from "serialport";

// json-rpc-2.0's own code for a time-out, or a request given up: what helps is to ask again.
export const NO_ANSWER = 0;
const EVENTS = ["rolled", "selected", "changed", "health_changed"];

// CRC-16/XMODEM.
export function crc(bytes) {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, "0");
}

// Return what a line says, or null if it came to harm: its check is wrong, or (as one damaged line
// in 65,536 looks right) it is no JSON. What is typed answers a request that came to harm.
function believed(line) {
  const body = line.slice(0, -5);
  if (line.slice(-5) !== `*${crc(Buffer.from(body, "latin1"))}`) return null;
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

// Emits the station's events by name, with their params, and `lost` and `back` for the line.
export class DiceStation extends EventEmitter {
  #path;
  #baudRate;
  #timeout;
  #tries;
  #port = null;
  #greetEvery;
  #greeting = null;
  #closing = false;
  #rpc;

  // timeout: milliseconds that one try may take; tries: how often a request is sent; greetEvery:
  // milliseconds from one greeting to the next.
  constructor(path, { baudRate = 115200, timeout = 1000, tries = 40, greetEvery = 15000 } = {}) {
    super();
    this.#greetEvery = greetEvery;
    this.#path = path;
    this.#baudRate = baudRate;
    this.#timeout = timeout;
    this.#tries = tries;
    // Ids that no other program used before us on this line: a late answer to it is not ours.
    const mark = randomUUID().slice(0, 8);
    let count = 0;
    const server = new JSONRPCServer();
    for (const name of EVENTS) server.addMethod(name, (params) => void this.emit(name, params));
    const client = new JSONRPCClient((request) => this.#send(request), () => `${mark}-${++count}`);
    this.#rpc = new JSONRPCServerAndClient(server, client);
  }

  // Open the port and begin a session; resolves to what the station says of itself.
  async open() {
    await this.#connect();
    const told = await this.#again(() => this.#greet());
    clearInterval(this.#greeting);
    this.#greeting = setInterval(() => this.#greetAgain(), this.#greetEvery);
    return told;
  }

  async close() {
    this.#closing = true;
    clearInterval(this.#greeting);
    if (this.#port?.isOpen) await new Promise((done) => this.#port.close(done));
  }

  // Call a method of the protocol. It is sent again where no answer comes: give what changes
  // something a `key`, and it is done once however often it is sent.
  call(method, params = {}) {
    return this.#again(() => this.#once(method, params));
  }

  // Roll once. Keep the key and give it again to ask again after a crash.
  roll(request, { key = randomUUID(), ...more } = {}) {
    return this.call("roll", { request, key, ...more });
  }

  #once(method, params) {
    return this.#rpc.timeout(this.#timeout).request(method, params);
  }

  async #greet() {
    const told = await this.#once("hello", { client: "node", check: true });
    await this.#once("subscribe", { events: EVENTS });
    return told;
  }

  // A station that was restarted has forgotten us. And serialport may fail to notice that its port is
  // gone (it reads nothing, again and again): where nobody answers, the port is opened anew.
  async #greetAgain() {
    try {
      await this.#again(() => this.#greet(), 5);
    } catch {
      if (this.#port?.isOpen) this.#port.close(() => {});
    }
  }

  async #again(attempt, tries = this.#tries) {
    let refused = false;
    for (let tried = 1; ; tried++) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof JSONRPCErrorException && error.code !== NO_ANSWER) {
          // One damaged request in 65,536 looked right to the station: it must refuse twice.
          if (refused) throw error;
          refused = true;
        }
        if (tried >= tries || this.#closing) throw error;
        if (!this.#port?.isOpen) await sleep(this.#timeout);
      }
    }
  }

  async #connect() {
    const port = new SerialPort({ path: this.#path, baudRate: this.#baudRate, autoOpen: false });
    await new Promise((done, fail) => port.open((error) => (error ? fail(error) : done())));
    this.#port = port;
    port.pipe(new ReadlineParser({ delimiter: "\r\n", encoding: "latin1" })).on("data", (line) => this.#heard(line));
    port.on("error", () => {}); // "close" follows
    port.on("close", () => this.#lost());
  }

  async #lost() {
    clearInterval(this.#greeting);
    this.#rpc.rejectAllPendingRequests("the line is gone");
    if (this.#closing) return;
    this.emit("lost");
    while (!this.#closing) {
      await sleep(this.#timeout);
      try {
        await this.open();
        this.emit("back");
        return;
      } catch {
        // Not there yet.
      }
    }
  }

  #send(request) {
    const line = JSON.stringify(request);
    const out = `\r\n${line}*${crc(Buffer.from(line))}\r\n`;
    return new Promise((done, fail) => {
      if (!this.#port?.isOpen) return fail(new Error("the line is gone"));
      this.#port.write(out, (error) => (error ? fail(error) : done()));
    });
  }

  #heard(line) {
    if (line === "") return;
    // What came to harm may be our answer.
    const message = believed(line) ?? { id: null };
    if (message.id === null) this.#rpc.rejectAllPendingRequests("the request or its answer came to harm");
    else this.#rpc.receiveAndSend(message);
  }
}
