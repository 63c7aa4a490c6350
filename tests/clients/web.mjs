// The Web Serial page in headless Chromium, its port a pty, doing what standard input says.
//
//   node web.mjs PAGE.html PORT CHROMIUM
//
// `connect`, `roll`, `choose SYSTEM KIND`, `fill NAME VALUE`, `set NAME VALUE` (all fields of that name, shown or not),
// `decide` (the first decision, and print how many are left), `odds`, `verdict`, `unplug`, `shot FILE`; each line of
// the page's log is printed when it appears.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { SerialPort } from "serialport";

const [file, path, executablePath] = process.argv.slice(2);

// What the page sees instead of the browser's own chooser and port.
function stub() {
  let arrived;
  const port = {
    async open() {
      port.readable = new ReadableStream({ start: (controller) => { arrived = controller; } });
      port.writable = new WritableStream({ write: (bytes) => window.toPort(Array.from(bytes)) });
    },
    async close() {},
  };
  window.unplug = () => arrived.error(new Error("unplugged"));
  window.fromPort = (bytes) => arrived.enqueue(new Uint8Array(bytes));
  Object.defineProperty(navigator, "serial", { value: { requestPort: async () => port } });
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node.dataset?.from) window.say(`log ${node.dataset.from} #${node.dataset.seq} ${node.children[1].textContent}`);
  }).observe(document, { childList: true, subtree: true });
}

const port = new SerialPort({ path, baudRate: 115200 });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
page.on("pageerror", (error) => console.log(`fault ${error.message}`));
await page.exposeFunction("toPort", (bytes) => void port.write(Buffer.from(bytes)));
await page.exposeFunction("say", (line) => console.log(line));
await page.addInitScript(stub);
await page.goto(pathToFileURL(file).href);
let delivered = Promise.resolve();
port.on("data", (bytes) => {
  delivered = delivered.then(() => page.evaluate((each) => window.fromPort(each), Array.from(bytes)));
});
console.log("ready");

const acts = {
  connect: () => page.click("#connect").then(() => page.waitForSelector("#roll", { timeout: 10000 })),
  roll: () => page.click("#roll"),
  choose: async (system, kind) => {
    await page.selectOption("#system", system);
    await page.selectOption("#kind", kind);
  },
  fill: (name, value) => page.fill(`[name=${name}]`, value),
  set: (name, value) => page.locator(`[name=${name}]`).evaluateAll((all, to) => all.forEach((each) => (each.value = to)), value),
  decide: async () => {
    const box = page.locator(".open").first();
    const decide = box.locator("button.main");
    for (let place = 0; await decide.isDisabled(); place++) await box.locator("button").nth(place).click();
    const before = await page.locator(".open").count();
    await decide.click();
    await page.waitForFunction((count) => document.querySelectorAll(".open").length < count, before);
    console.log(`open ${await page.locator(".open").count()}`);
  },
  odds: () => page.waitForSelector("#odds .chance b").then((node) => node.textContent()).then(console.log),
  verdict: () => page.textContent("#verdict").then(console.log),
  unplug: async () => {
    await page.evaluate(() => window.unplug());
    await page.waitForFunction(() => document.getElementById("status").textContent === "connected again");
  },
  shot: (to) => page.screenshot({ path: to, fullPage: true }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [act, ...rest] = line.split(" ");
  try {
    await acts[act](...rest);
    console.log(`done ${act}`);
  } catch (error) {
    console.log(`fault ${error.message}`);
  }
}
await browser.close();
port.close();
