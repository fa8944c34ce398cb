// SPDX-License-Identifier: Apache-2.0
// What a person does with a report, done in a browser. Usage: report_test.mjs MODULES CHROMIUM BIG.html TWO.html OUT
// BIG is the report of a plan with about 50,000 ops of zoo:nmt-4, TWO one of two plans. Screenshots are left in OUT.
import assert from "node:assert/strict";
import { check, memoryOfPages, openBrowser, openReport, settled } from "./browser.mjs";

const [modules, chromium, big, two, out] = process.argv.slice(2);
const OP = "encoder.layer.1.t24/matmul_5";
const SLOWEST_START_S = 600; // generous: the computer may be slow and busy; docs/report.md has the figure of a quiet one
const MOST_BYTES = 1e9;

const browser = await openBrowser(modules, chromium);
const drawn = (page, id) => page.evaluate((canvas) => document.querySelector(canvas).toDataURL(), `#${id} canvas`);

const { page, complaints, requests } = await openReport(browser, big);

await check("the report of 50,000 ops is interactive soon, and small in memory", async () => {
  const ready = Number((await page.getAttribute("body", "data-ready")).replaceAll(",", "")) / 1000;
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
  const all = await memoryOfPages(browser);
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(`interactive after ${ready.toFixed(2)} s; scripts ${megabytes(heap)}, pages in all ${megabytes(all)}`);
  assert.ok(ready < SLOWEST_START_S, `${ready} s`);
  assert.ok(heap > 0 && heap < MOST_BYTES, `${heap} bytes`);
  assert.ok(all > heap && all < MOST_BYTES, `${all} bytes`);
  await page.screenshot({ path: `${out}/report-light.png`, fullPage: true });
});

await check("the summary says what matters", async () => {
  const text = await page.innerText("#summary");
  for (const words of [
    "Step time",
    "lower bound",
    "best single device",
    "human expert's rule",
    "What limits it",
    "gpu3",
    "critical path",
  ]) {
    assert.ok(text.toLowerCase().includes(words.toLowerCase()), words);
  }
});

await check("search finds an op, and its facts are shown", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type(OP);
  await page.waitForSelector("#found li[role=option]");
  assert.ok((await page.innerText("#found")).includes(OP));
  await page.keyboard.press("Enter");
  assert.equal(await page.innerText(".details h2"), OP);
  const facts = await page.innerText(".details");
  for (const words of ["device", "matmul", "Why it is here", "Inputs", "Used by"])
    assert.ok(facts.includes(words), words);
  await settled(page);
  await page.screenshot({ path: `${out}/op.png` });
});

await check("a click on a box chooses an op", async () => {
  await page.keyboard.press("Escape");
  await page.fill(".search input", "");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible(".details"), false);
  const box = await page.locator("#graph canvas").boundingBox();
  // The search has put the op into the middle.
  await page.mouse.click(box.x + 148 + (box.width - 148) / 2, box.y + box.height / 2);
  assert.equal(await page.innerText(".details h2"), OP);
  await page.click(".details header button");
  assert.equal(await page.isVisible(".details"), false);
});

for (const id of ["graph", "timeline"]) {
  await check(`${id}: keys zoom and move, and lead back`, async () => {
    const canvas = page.locator(`#${id} canvas`);
    await canvas.focus();
    await page.keyboard.press("0");
    await settled(page);
    const whole = await drawn(page, id);
    for (let i = 0; i < 6; ++i) await page.keyboard.press("+");
    await settled(page);
    const near = await drawn(page, id);
    assert.notEqual(near, whole);
    await page.keyboard.press("ArrowRight");
    await settled(page);
    assert.notEqual(await drawn(page, id), near);
    await page.keyboard.press("0");
    await settled(page);
    assert.equal(await drawn(page, id), whole);
  });
}

await check("the wheel zooms a timeline that has the focus, and hovering tells", async () => {
  const box = await page.locator("#timeline canvas").boundingBox();
  const before = await drawn(page, "timeline");
  await page.mouse.move(box.x + 700, box.y + 50);
  await page.mouse.wheel(0, -600);
  await settled(page);
  assert.notEqual(await drawn(page, "timeline"), before);
  let told = false;
  for (let x = 200; x < box.width && !told; x += 7) {
    await page.mouse.move(box.x + x, box.y + 26 + 34 + 15); // the row of gpu0
    told = await page.isVisible(".tip");
  }
  assert.ok(told, "no op of gpu0 has a tip");
  assert.match(await page.innerText(".tip"), /on gpu0/);
});

await check("colours can mean other things, and dark is dark", async () => {
  const light = await drawn(page, "graph");
  await page.selectOption(".choice select", "class");
  await settled(page);
  assert.notEqual(await drawn(page, "graph"), light);
  assert.ok((await page.innerText(".strip .legend")).includes("matmul"));
  await page.selectOption(".choice select", "device");
  await page.click("button[aria-label='Light or dark']");
  await settled(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${out}/report-dark.png`, fullPage: true });
});

await check("it prints", async () => {
  const pdf = await page.pdf({ path: `${out}/report.pdf`, format: "A4", printBackground: true });
  assert.ok(pdf.length > 20_000, `${pdf.length} bytes`);
});

await check("nothing complains, and nothing is asked of the network", async () => {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, []);
});

await check("two plans stand side by side, and one can be chosen", async () => {
  const second = await openReport(browser, two);
  assert.equal(await second.page.locator(".plan").count(), 2);
  const before = await second.page.innerText(".hero");
  await second.page.locator(".tabs button").nth(1).click();
  assert.notEqual(await second.page.innerText(".hero"), before);
  await settled(second.page);
  await second.page.screenshot({ path: `${out}/two-plans.png`, fullPage: true });
  await second.page.setViewportSize({ width: 420, height: 900 });
  await settled(second.page);
  const overflow = await second.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `a narrow window scrolls sideways by ${overflow} pixels`);
  assert.deepEqual([...second.complaints, ...second.requests], []);
});

await browser.close();
