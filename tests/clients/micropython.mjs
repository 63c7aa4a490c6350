// Run a MicroPython example on a board that is not there: its UART is a pty, its button the word
// `press` on standard input. The loop of the example never ends, so everything here is synchronous.
//
//   node micropython.mjs EXAMPLE.py MACHINE.py PORT

import { randomInt } from "node:crypto";
import fs from "node:fs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [example, machine, path] = process.argv.slice(2);
const { O_NOCTTY, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;
const port = fs.openSync(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
const hands = fs.openSync("/proc/self/fd/0", O_RDONLY | O_NONBLOCK);

function waiting(fd) {
  const bytes = Buffer.alloc(4096);
  try {
    return bytes.toString("latin1", 0, fs.readSync(fd, bytes));
  } catch (error) {
    if (error.code === "EAGAIN") return "";
    throw error;
  }
}

const LONG = 8; // looks at the button for which it stays closed, then open
let left = -LONG;
const world = {
  read: () => waiting(port),
  random: () => randomInt(256),
  write: (text) => fs.writeSync(port, text, null, "latin1"),
  held: () => {
    if (left > -LONG) left--;
    else if (waiting(hands).includes("press")) left = LONG;
    return left > 0;
  },
};

const python = await loadMicroPython({ stdout: (line) => fs.writeSync(1, `${line}\n`), linebuffer: true });
python.registerJsModule("world", world);
python.FS.writeFile("/machine.py", fs.readFileSync(machine));
python.FS.writeFile("/dice_station.py", fs.readFileSync(example));
// This build of MicroPython lacks what every board has.
const urandom = "import os, world\nos.urandom = lambda count: bytes(world.random() for _ in range(count))\n";
python.runPython(`import sys\nsys.path.insert(0, "/")\n${urandom}import dice_station\ndice_station.main()`);
