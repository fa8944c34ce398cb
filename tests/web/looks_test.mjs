// SPDX-License-Identifier: Apache-2.0
// What a designer looks for in a report. Usage: looks_test.mjs MODULES CHROMIUM FOLDER OUT. FOLDER has named.html and flat.html
// (block_graphs.py), pipeline.html (two plans for samples that stream through), nine.html (nine devices) and oom.html (a plan
// that does not fit). Screenshots are left in OUT.
import assert from "node:assert/strict";
import { check, openBrowser, openReport, painted, settled } from "./browser.mjs";

const [modules, chromium, folder, out] = process.argv.slice(2);
const GUTTER = 148;
const browser = await openBrowser(modules, chromium);
const open = (name, options = {}) =>
  openReport(browser, `${folder}/${name}.html`, { records: true, width: 1280, ...options });
const distinct = (list) => [...new Set(list)];
// Words at the left of a picture: names of bands and rows.
const labels = async (page, id) =>
  (await painted(page, id)).filter((mark) => mark.kind === "fillText" && mark.x < GUTTER).map((mark) => mark.text);

const complaints = [];
const named = await open("named");
complaints.push(named.complaints);

await check("bands of one beginning differ in their labels", async () => {
  const bands = await labels(named.page, "graph");
  assert.equal(distinct(bands).length, bands.length, bands.join(" | "));
  for (let block = 0; block < 12; ++block)
    assert.equal(bands.filter((text) => text.endsWith(`_${block}`)).length, 1, `${block}: ${bands.join(" | ")}`);
  await named.page.screenshot({ path: `${out}/named.png`, fullPage: true });
});

const strokes = async (page) => (await painted(page, "graph")).filter((mark) => mark.kind === "stroke");

await check("edges are as wide and dark as they have bytes, and weights can be left out", async () => {
  const all = await strokes(named.page);
  const widths = distinct(all.map((mark) => mark.width)).sort((a, b) => a - b);
  assert.ok(widths.length >= 2 && widths.at(-1) > 3 * widths[0], widths.join(" "));
  const alpha = (width) => Math.max(...all.filter((mark) => mark.width === width).map((mark) => mark.alpha));
  assert.ok(alpha(widths.at(-1)) > 2 * alpha(widths[0]), `${alpha(widths.at(-1))} and ${alpha(widths[0])}`);
  await named.page.click("#graph button:text('Weights')");
  const rest = await strokes(named.page);
  assert.ok(rest.length > 0 && rest.length < all.length, `${rest.length} of ${all.length}`);
  assert.equal(distinct(rest.map((mark) => mark.width)).length, 1, "only activations, which are all alike");
  await named.page.click("#graph button:text('Weights')");
});

await check("edges, links and marks have legends", async () => {
  const edges = await named.page.innerText("#graph .legend");
  for (const words of ["up to 4.00 KiB", "2.00 MiB", "to another device", "weights"])
    assert.ok(edges.includes(words), words);
  const marks = await named.page.innerText("#timeline .legend");
  for (const words of ["on the critical path", "a transfer", "Links: sent by", "gpu0"])
    assert.ok(marks.includes(words), words);
});

await check("an op has its attributes, and the types, shapes and bytes of what goes in and out", async () => {
  await named.page.keyboard.press("/");
  await named.page.keyboard.type("node_MatMul_8");
  await named.page.keyboard.press("Enter");
  const facts = (await named.page.innerText(".details")).replaceAll(/\s+/g, " ");
  assert.match(facts, /Attributes transA 0 note <b>0<\/b> /);
  assert.match(facts, /Outputs f32 \[64, 8192\] 2(\.00)? MiB/);
  assert.match(facts, /Inputs .*node_MatMul_7 2(\.00)? MiB f32 \[64, 8192\].*val_101/);
  assert.match(facts, /Used by .*node_MatMul_9 2(\.00)? MiB f32 \[64, 8192\]/);
  await named.page.screenshot({ path: `${out}/facts.png` });
});

await check("a box that is near says where, how long and how much", async () => {
  await named.page.locator("#graph canvas").focus();
  for (let i = 0; i < 3; ++i) await named.page.keyboard.press("+");
  const words = (await painted(named.page, "graph"))
    .filter((mark) => mark.kind === "fillText")
    .map((mark) => mark.text);
  for (const wanted of [
    /^node_MatMul_8$/,
    /^(gpu|cpu)\d* \u00b7 MatMul$/,
    /^[\d.]+ (ms|us) \u00b7 2\.00 MiB$/,
    /^f32 \[64, 8192\]$/,
  ])
    assert.ok(
      words.some((text) => wanted.test(text)),
      `${wanted}: ${words.join(" | ")}`,
    );
  await named.page.screenshot({ path: `${out}/near.png` });
});

await check("a graph without names of parts has bands by position", async () => {
  const { page, complaints: more } = await open("flat");
  complaints.push(more);
  const bands = await labels(page, "graph");
  assert.ok(bands.length >= 4, bands.join(" | "));
  assert.equal(distinct(bands).length, bands.length, bands.join(" | "));
  for (const band of bands) assert.match(band, /^from .*MatMul_\d+$/);
  await page.screenshot({ path: `${out}/flat.png`, fullPage: true });
});

await check("samples that stream through have stages in place of a timeline, and one of them sets the pace", async () => {
  const { page, complaints: more } = await open("pipeline");
  complaints.push(more);
  assert.equal(await page.locator("#timeline").count(), 0);
  const pace = (await page.innerText(".hero")).trim();
  assert.match(await page.innerText("#summary"), /time per sample/i);
  const stages = await page.locator("#pipeline tbody tr").allInnerTexts();
  assert.ok(stages.length >= 3, "two devices and a link");
  const slowest = stages.filter((text) => text.includes("sets the pace"));
  assert.equal(slowest.length, 1, stages.join(" | "));
  assert.ok(slowest[0].includes(`${pace} (100 %)`), `${pace}: ${slowest[0]}`);
  assert.ok(
    stages.some((text) => /encoder_layer_0\b/.test(text)),
    stages.join(" | "),
  );
  await page.screenshot({ path: `${out}/pipeline.png`, fullPage: true });
  await page.locator(".tabs button").nth(1).click();
  assert.notEqual((await page.innerText(".hero")).trim(), pace);
  await page.keyboard.press("/");
  await page.keyboard.type("node_MatMul_8");
  await page.keyboard.press("Enter");
  const facts = await page.innerText(".details");
  assert.match(facts, /per sample/);
  assert.doesNotMatch(facts, /critical path|berth explain/);
});

const nine = await open("nine");
complaints.push(nine.complaints);

await check("of many links the busiest are shown, the others on request, idle ones in a line", async () => {
  const { page } = nine;
  const rows = async () => distinct(await labels(page, "timeline"));
  const links = (texts) => texts.filter((text) => /%$/.test(text) && !/more/.test(text));
  const few = await rows();
  assert.ok(links(few).length <= 6, few.join(" | "));
  assert.equal(few.filter((text) => /^\d+ more/.test(text)).length, 1, few.join(" | "));
  const height = async () => (await page.locator("#timeline canvas").boundingBox()).height;
  const before = await height();
  await page.screenshot({ path: `${out}/nine.png`, fullPage: true });
  await page.click("#timeline button:text-matches('^All \\\\d+ links$')");
  const all = await rows();
  assert.ok(links(all).length > 8, all.join(" | "));
  assert.ok((await height()) > before);
});

await check("a memory that is nearly empty uses its height, and says where its capacity is", async () => {
  const notes = (await painted(nine.page, "timeline")).map((mark) => mark.text).filter((text) => /capacity/.test(text));
  assert.ok(notes.length > 0 && notes.every((text) => /capacity [\d.]+ GiB/.test(text)), notes.join());
});

// Where a table's first and last row end, once it has been moved sideways as far as it goes or not at all, and its frame.
const ends = (page, table, moved) =>
  page.evaluate(
    ([selector, x]) => {
      const found = document.querySelector(selector);
      const frame = found.closest(".scroll") ?? found.closest(".card");
      frame.scrollLeft = x;
      const rows = [...found.querySelectorAll("tr")];
      const cell = (row) => row.children[row.children.length - 1].getBoundingClientRect();
      const [head, last] = [cell(rows[0]), cell(rows[rows.length - 1])];
      const cut = (box) => box.right > frame.getBoundingClientRect().right + 1;
      return {
        isCut: cut(head) || cut(last),
        headIsAbove: head.left < last.right && last.left < head.right,
        keys: frame.tabIndex,
      };
    },
    [table, moved],
  );

const resized = async (width) => {
  await nine.page.setViewportSize({ width, height: 900 });
  await settled(nine.page);
  const overflow = await nine.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} pixels`);
  await nine.page.screenshot({ path: `${out}/nine-${width}.png`, fullPage: true });
};

await check("tables of nine devices are whole in a window of 1280 pixels", async () => {
  await resized(1280);
  for (const table of ["#traffic table", ".devices table"])
    assert.deepEqual(await ends(nine.page, table, 0), { isCut: false, headIsAbove: true, keys: 0 }, table);
});

await check("in one of 420 the devices are whole, and the traffic can be moved, by keys too", async () => {
  await resized(420);
  assert.deepEqual(await ends(nine.page, ".devices table", 0), { isCut: false, headIsAbove: true, keys: 0 });
  assert.equal((await ends(nine.page, "#traffic table", 0)).isCut, true);
  assert.deepEqual(await ends(nine.page, "#traffic table", 1e6), { isCut: false, headIsAbove: true, keys: 0 });
});

await check("a plan that does not fit has no step time", async () => {
  const { page, complaints: more } = await open("oom");
  complaints.push(more);
  const verdict = await page.innerText(".verdict");
  assert.match(verdict, /Out of memory/);
  assert.match(verdict, /cannot run, so it has no step time/);
  assert.doesNotMatch(verdict, /would take|above it|as fast/);
  await page.screenshot({ path: `${out}/oom.png`, fullPage: true });
});

await check("nothing complains", async () => assert.deepEqual(complaints.flat(), []));
await browser.close();
