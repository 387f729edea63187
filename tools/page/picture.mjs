// Makes a picture for the documents from the page of a real failure.
// Usage: node tools/page/picture.mjs PAGE PICTURE [STEP]
//   docs/report-page.png: the page of Failures.FlagThatIsSetWithoutTheMutex
//   docs/report-page-model.png: the page of the lock at the beginning of docs/models.md, step 3
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [, , file, picture, step] = process.argv;
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, colorScheme: "light" });
await page.goto(`file://${resolve(file)}${step === undefined ? "" : `#step-${step}`}`);
await page.waitForSelector(".row.step");
await page.waitForTimeout(200);
// A machine's paths say nothing to others.
await page.evaluate(() => {
  const origin = document.querySelector(".origin");
  origin?.replaceChildren(origin.firstChild);
  const command = document.querySelector(".replay pre");
  command?.replaceChildren(command.textContent.replace(/ \S*\/(?=[^/]+$)/, " "));
});
await page.screenshot({ path: picture, fullPage: true });
await browser.close();
