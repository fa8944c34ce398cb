// SPDX-License-Identifier: Apache-2.0
// A real browser for the tests: Debian's Chromium, headless, driven by playwright-core. Pages come from files; whatever
// else they ask for, and whatever they complain about, is collected.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const PATIENCE_MS = 600_000; // for what takes seconds: the computer may be slow, and busy with others

// `modules`: the folder that has node_modules/playwright-core.
export async function openBrowser(modules, executable) {
  const require = createRequire(pathToFileURL(`${modules}/package.json`));
  const { chromium } = require("playwright-core");
  return chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"] });
}

// Bytes of all processes that show pages, each with its share of what they have in common.
export async function memoryOfPages(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const kibibytes = processInfo
    .filter((process) => process.type === "renderer")
    .map((process) => Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process.id}/smaps_rollup`, "utf8"))[1]));
  return 1024 * kibibytes.reduce((sum, one) => sum + one, 0);
}

// Keeps what is painted on canvases: words with their place, lines with their strength.
function record() {
  window.paintedMarks = [];
  for (const kind of ["fillText", "stroke"]) {
    const original = CanvasRenderingContext2D.prototype[kind];
    CanvasRenderingContext2D.prototype[kind] = function (...args) {
      const id = this.canvas.closest("section")?.id;
      const [text, x] = kind === "fillText" ? args : [];
      window.paintedMarks.push({ kind, id, text, x, width: this.lineWidth, alpha: this.globalAlpha });
      return original.apply(this, args);
    };
  }
}

// What is painted in a section when it is painted once more. The page must be opened with `records`.
export async function painted(page, id) {
  await settled(page);
  return page.evaluate(async (section) => {
    window.paintedMarks = [];
    window.dispatchEvent(new Event("beforeprint")); // every picture paints itself at once
    const marks = window.paintedMarks.filter((mark) => mark.id === section);
    window.dispatchEvent(new Event("afterprint"));
    return marks;
  }, id);
}

export const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export async function check(name, body) {
  await body();
  console.log(`ok: ${name}`);
}

export async function openReport(
  browser,
  file,
  { width = 1440, height = 1000, colorScheme = "light", scale = 1, records = false } = {},
) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor: scale });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  if (records) await page.addInitScript(record);
  const complaints = [],
    requests = [];
  const url = pathToFileURL(file).href;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => request.url() !== url && requests.push(request.url()));
  await page.goto(url);
  await page.waitForSelector("body[data-ready]", { timeout: PATIENCE_MS });
  return { page, complaints, requests };
}
