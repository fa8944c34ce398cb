// SPDX-License-Identifier: Apache-2.0
// A picture of a report, for the documentation.
// Usage: picture.mjs MODULES CHROMIUM REPORT.html OUT.png [WIDTH [light|dark]]
import { openBrowser, openReport } from "./browser.mjs";

const [modules, chromium, report, out, width = "1400", colorScheme = "light"] = process.argv.slice(2);
const browser = await openBrowser(modules, chromium);
const { page } = await openReport(browser, report, { width: Number(width), height: 900, colorScheme });
const bottom = await page.evaluate(() =>
  Math.ceil(document.querySelector("#timeline").getBoundingClientRect().bottom + 18),
);
await page.screenshot({ path: out, fullPage: true, clip: { x: 0, y: 0, width: Number(width), height: bottom } });
await browser.close();
