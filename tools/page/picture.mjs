// Makes docs/report-page.png, the picture in the README, from the page of a real failure.
// Usage: node tools/page/picture.mjs PAGE [STEP]    for example the page of Failures.LostWakeUp
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [, , file, step] = process.argv;
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1360, height: 1000 }, colorScheme: "light" });
await page.goto(`file://${resolve(file)}${step === undefined ? "" : `#step-${step}`}`);
await page.waitForSelector(".row.step");
await page.waitForTimeout(200);
// A machine's paths say nothing to others.
await page.evaluate(() => {
  const origin = document.querySelector(".origin");
  origin.replaceChildren(origin.firstChild);
});
await page.screenshot({ path: fileURLToPath(new URL("../../docs/report-page.png", import.meta.url)), fullPage: true });
await browser.close();
