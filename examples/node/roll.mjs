// Roll by pressing Enter, and see what is rolled at the table.
//
// Needs and wiring: see dice-station.mjs.
//
//   node roll.mjs /dev/ttyUSB0
//   node roll.mjs /dev/ttyUSB0 '{"system": "wrath-and-glory", "kind": "test", "pool": 6}'

import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { JSONRPCErrorException } from "json-rpc-2.0";
import { DiceStation, NO_ANSWER } from "./dice-station.mjs";

const BASIC = '{"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}';
const [path, request = BASIC] = process.argv.slice(2);
if (!path) {
  console.error("usage: node roll.mjs PORT [REQUEST]");
  process.exit(2);
}

const tell = (who, roll) => {
  const how = roll.outcome?.explanation ?? "hidden";
  console.log(`${who} #${roll.seq}: ${roll.faces?.join(" ") ?? ""} - ${how}${roll.replayed ? " (asked again)" : ""}`);
};

const station = new DiceStation(path);
station.on("rolled", (roll) => tell("at the table", roll));
station.on("lost", () => console.log("the line is gone"));
station.on("back", () => console.log("the line is back"));
const { station: name, systems } = await station.open();
console.log(`${name ?? "a station"} knows ${systems.join(", ")}; Enter rolls, Ctrl-D ends`);

// The key is kept until an answer came: the next Enter then asks for this roll, not for another.
let key = null;
for await (const _ of createInterface({ input: process.stdin })) {
  key ??= randomUUID();
  try {
    tell("here", await station.roll(JSON.parse(request), { key }));
    key = null;
  } catch (error) {
    const refused = error instanceof JSONRPCErrorException && error.code !== NO_ANSWER;
    if (refused) key = null;
    console.log(`${refused ? "not rolled" : "not known whether it was rolled; Enter asks again"}: ${error.message}`);
  }
}
await station.close();
