// The example's station with little patience: says when its line is lost and back, and of rolls.

import { DiceStation } from "./dice-station.mjs";

const station = new DiceStation(process.argv[2], { timeout: 200, greetEvery: 300 });
for (const name of ["lost", "back"]) station.on(name, () => console.log(name));
station.on("rolled", ({ seq }) => console.log(`rolled ${seq}`));
await station.open();
console.log("open");
