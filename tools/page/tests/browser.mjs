// Opens pages in a browser and uses them: they show the steps of their documents, answer clicks and keys, and axe finds
// nothing to object to.
// Usage: browser.mjs CHROMIUM FOLDER    with pages NAME.html, and NAME.json as hocket show --json prints it
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [, , executablePath, folder] = process.argv;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on("pageerror", (error) => assert.fail(`${name}: ${error.message}`));
  page.on("console", (message) => assert.notEqual(message.type(), "error", `${name}: ${message.text()}`));
  page.on("request", (request) => assert.match(request.url(), /^file:/, `${name} loads ${request.url()}`));
  await page.goto(`file://${folder}/${name}.html`);
  await page.waitForSelector("h1");
  return page;
}

async function objections(page) {
  await page.evaluate(axe).catch(() => undefined);
  return page.evaluate(async () =>
    (await window.axe.run()).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 2)}`));
}

const shown = (text) => text.replace(/\s+/g, " ").trim();

async function showsItsSteps(name, document) {
  const page = await open(name);
  assert.equal(await page.textContent("h1"), document.test);
  assert.ok((await page.textContent(".sentence")).includes(document.headline[0]));
  if (document.steps.length === 0) return page.close();
  const folds = await page.locator(".row.fold").count();
  if (folds !== 0) await page.keyboard.press("e");
  assert.equal(await page.locator(".row.fold").count(), 0, `${name}: "e" opens folds`);
  // On paper all rows are there, up to a number.
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  const steps = await page.$$eval(".row.step .what", (all) => all.map((one) => one.title));
  const wanted = document.steps.filter((step) => step.for === undefined).map((step) => [step.does, step.object, step.result].filter(Boolean).join(" "));
  assert.deepEqual(steps.map(shown), wanted.slice(0, steps.length).map(shown), `${name} shows the steps`);
  assert.ok(steps.length === wanted.length || steps.length > 1000);
  await page.close();
}

async function answers(name, document) {
  const page = await open(name);
  await page.keyboard.press("f");
  const last = document.fails_at;
  await page.waitForSelector(".panel");
  assert.equal(new URL(page.url()).hash, `#step-${last}`);
  assert.ok((await page.textContent(".panel")).includes("✖ FAILS: "), name);
  assert.ok(await page.locator(`#step-${last}`).isVisible(), `${name}: the failing step is in sight`);
  const before = document.steps.findLast((step) => step.step < last && step.preempted !== undefined);
  if (before !== undefined) {
    await page.keyboard.press("P");
    await page.waitForFunction((step) => location.hash === `#step-${step}`, before.step);
    const panel = await page.textContent(".panel");
    assert.ok(panel.includes("is preempted before this step"), name);
    for (const why of document.why ?? [])
      if (why.step === before.step) assert.ok(panel.includes(shown(why.text)), `${name}: a preemption's step says why it matters`);
  }
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".panel").count(), 0);
  await page.locator(".row.step").last().click();
  assert.equal(await page.locator(".panel").count(), 1, `${name}: a click shows the step`);
  await page.close();
}

const asked = new Set(["DeadlockOfThreeLocks", "OnePreemptionAmong5000Steps", "RaceOnAMemberBehindTwoCalls", "ThirtyThreads"]);
const names = readdirSync(folder).filter((file) => file.endsWith(".html") && file !== "searches.html").map((file) => file.slice(0, -5));
assert.ok(names.length !== 0, "there are pages");
for (const name of names) {
  const document = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
  await showsItsSteps(name, document);
  if (asked.has(name)) await answers(name, document);
}

// The first screen has the step that fails, what comes before it, and the line of source that fails.
for (const name of names) {
  const document = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
  if (document.fails_at === undefined) continue;
  const page = await open(name);
  await page.waitForSelector(`#step-${document.fails_at}`);
  const isInSight = (selector) => page.evaluate((wanted) => {
    const { top, bottom, height } = document.querySelector(wanted).getBoundingClientRect();
    return height > 0 && top >= (document.querySelector("header").offsetHeight ?? 0) && bottom <= window.innerHeight;
  }, selector);
  assert.ok(await isInSight(`#step-${document.fails_at}`), `${name}: the step that fails is on the first screen`);
  const before = document.steps.findLast((step) => step.step < document.fails_at && step.for === undefined);
  if (before !== undefined && (await page.locator(`#step-${before.step}`).count()) !== 0)
    assert.ok(await isInSight(`#step-${before.step}`), `${name}: so is the one before it`);
  if (document.stacks.some((stack) => stack.source !== undefined)) assert.ok(await page.locator(".places .source-line").first().isVisible());
  if (document.steps.length > 1 && document.steps.length <= 100) {
    const { x, y, width, height } = await page.locator(".overview-time").boundingBox();
    await page.mouse.click(x + width - 2, y + height / 2);
    const last = document.steps.findLast((step) => step.for === undefined || step.fails !== undefined).step;
    assert.equal(new URL(page.url()).hash, `#step-${last}`, `${name}: a click in the overview leads to the step`);
    await page.waitForSelector(`#step-${last}.itself`);
  }
  await page.close();
}

// What is no step has a row, and a message of GoogleTest is as GoogleTest writes it; values are not cut.
if (names.includes("FlagThatIsSetWithoutTheMutex")) {
  for (const width of [390, 1280]) {
    const page = await open("FlagThatIsSetWithoutTheMutex", { viewport: { width, height: 900 } });
    await page.evaluate(() => document.querySelector(".table").scrollIntoView());
    await page.waitForSelector(".row .result");
    const cut = await page.$$eval(".row .result", (all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    assert.deepEqual(cut, [], `values are whole at ${width} pixels`);
    assert.equal(shown(await page.textContent(".row.between .what")), "waits for the end ofthread 2");
    assert.match(await page.textContent(".wait-graph .too-early"), /^⚠ step \d+, main: condition.notify_all came before$/);
    await page.close();
  }
}
if (names.includes("ThirtyThreads")) {
  const page = await open("ThirtyThreads");
  assert.match(await page.textContent(".message"), /^worker \d+ began before the configuration was there$/);
  await page.close();
}

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [[390, 844], [1280, 900], [2560, 1440]]) {
    const page = await open(names[0], { colorScheme, viewport: { width, height } });
    await page.keyboard.press("f");
    await page.waitForSelector(".panel");
    assert.deepEqual(await objections(page), [], `${colorScheme}, ${width} pixels`);
    const overflows = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.ok(!overflows, `the page is no wider than ${width} pixels`);
    await page.close();
  }
}

// Names that are markup or turn the direction of text are text.
if (names.includes("hostile")) {
  const page = await open("hostile");
  assert.equal(await page.evaluate(() => document.querySelectorAll("script, img").length), 2, "the page's own scripts");
  assert.ok((await page.textContent("h1")).includes("</script><img src=x onerror=alert(1)>"));
  assert.doesNotMatch(await page.textContent("body"), /[\u202e\u001b]/);
  await page.close();
}

// A path of a model tells what changed, and claims no order.
if (names.includes("model")) {
  const page = await open("model");
  assert.ok((await page.textContent(".table")).includes("inside = 2, at = [1, 1]"));
  await page.keyboard.press("f");
  const panel = shown(await page.textContent(".panel"));
  assert.ok(panel.includes("Which steps could come in another order is not known here."));
  assert.ok(panel.includes("The state after it: state 3inside● 1 → 2at● [1, 0] → [1, 1]<b>kind</b></script>"), panel);
  assert.equal(await page.locator(".row.unordered").count(), 0);
  await page.close();
}

// The states of a small model are drawn with the path, and told in words; those of a large one are shown step by step.
if (names.includes("model")) {
  for (const [width, colorScheme] of [[390, "dark"], [1280, "light"], [2560, "dark"]]) {
    const page = await open("model", { colorScheme, viewport: { width, height: 1000 } });
    assert.equal(await page.locator(".state-graph g.state").count(), 4);
    assert.deepEqual(await page.locator(".state-graph g.edge.taken").evaluateAll((all) => all.map((one) => one.dataset.edge)), ["0-1", "1-3"]);
    assert.equal(await page.locator('.state-graph g.state.fails[data-state="3"]').count(), 1);
    await page.locator('.state-graph g.state[data-state="2"]').click();
    assert.match(shown(await page.textContent(".chosen")),
      /^State 2inside1at\[0, 1\].*Steps from hereprocess 0: enter leads to state 3process 1: stay leads to state 2process 1: break is an errorSteps that lead herestate 0, process 1: enterstate 2, process 1: stay$/);
    await page.locator(".chosen .state-link").first().click();
    assert.ok(shown(await page.textContent(".chosen")).startsWith("State 3, where the path fails"));
    await page.locator(".state-graph summary").click();
    assert.equal(await page.locator(".all-states li").count(), 4);
    assert.deepEqual(await objections(page), []);
    assert.ok(!(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)));
    await page.locator(".chosen a").first().click();
    await page.waitForSelector(".panel");
    assert.equal(new URL(page.url()).hash, "#step-2");
    await page.close();
  }
  const page = await open("large_model");
  assert.equal(await page.locator(".state-graph").count(), 0);
  assert.ok((await page.textContent("main")).includes("The model has too many states to draw all of them."));
  await page.keyboard.press("f");
  assert.ok(shown(await page.textContent(".panel")).includes("The state after it● 1 → 2● [1, 0] → [1, 1]</script>"));
  await page.close();
}

// An object that a panel names leads to its history, and the address says so.
if (names.includes("DeadlockOfThreeLocks")) {
  const page = await open("DeadlockOfThreeLocks");
  await page.keyboard.press("f");
  await page.locator(".panel a.object").last().click();
  await page.waitForFunction(() => location.hash.startsWith("#object-"));
  const object = decodeURIComponent(new URL(page.url()).hash.slice("#object-".length));
  assert.equal(await page.textContent(".panel h2"), object);
  assert.match(shown(await page.textContent(".panel")), /Used by thread \d.*holds it from step \d+/);
  assert.ok((await page.locator(".row .sign").count()) > 0, "its steps are marked");
  assert.deepEqual(await objections(page), []);
  await page.keyboard.press("o");
  await page.waitForFunction(() => location.hash.startsWith("#step-"));
  await page.close();
}

// The circle of a deadlock is drawn, and told in words; a lock has its holders and waiters, and threads begin somewhere.
if (names.includes("DeadlockOfThreeLocks")) {
  const document = JSON.parse(readFileSync(`${folder}/DeadlockOfThreeLocks.json`, "utf8"));
  assert.deepEqual(document.waits.map((wait) => [wait.thread, wait.for, wait.on]), [[0, "end", [1]], [1, "lock", [2]], [2, "lock", [3]], [3, "lock", [1]]]);
  for (const [width, colorScheme] of [[390, "dark"], [1280, "light"]]) {
    const page = await open("DeadlockOfThreeLocks", { colorScheme, viewport: { width, height: 900 } });
    assert.equal(await page.locator(".wait-graph g.circle").count(), 3);
    assert.equal(await page.locator(".wait-graph path.circle").count(), 3);
    const said = await page.locator(".wait-graph li").allTextContents();
    assert.deepEqual(said.map(shown), [
      "main waits for the end of thread 1",
      "⟳ thread 1 waits for bank.accounts_[1].mutex, which thread 2 holds",
      "⟳ thread 2 waits for bank.accounts_[2].mutex, which thread 3 holds",
      "⟳ thread 3 waits for bank.accounts_[0].mutex, which thread 1 holds",
    ]);
    await page.keyboard.press("f");
    const panel = shown(await page.textContent(".panel"));
    assert.ok(panel.includes("thread 1 waits for bank.accounts_[1].mutex, held by thread 2"), panel);
    assert.ok(panel.includes("thread 3 holds it from step 3 to the end"), panel);
    assert.ok(panel.includes("thread 2 waits for it from step 3 to the end"), panel);
    assert.deepEqual(await objections(page), []);
    await page.close();
  }
}
if (names.includes("LostWakeUp")) {
  const document = JSON.parse(readFileSync(`${folder}/LostWakeUp.json`, "utf8"));
  const wait = document.steps.find((step) => step.does === "condition.wait");
  assert.equal(wait.gives, "queue.mutex_", "a wait says which lock it gives back");
}
if (names.includes("RaceOnAMemberBehindTwoCalls")) {
  const page = await open("RaceOnAMemberBehindTwoCalls", { viewport: { width: 1500, height: 1200 } });
  await page.evaluate(() => document.querySelector(".table").scrollIntoView());
  assert.equal(await page.locator('.made[data-arrow="2-3"], .made[data-arrow="2-5"]').count(), 2, "threads come from their creator");
  assert.equal(await page.locator(".row.other-side .mark-failing").count(), 1, "the other access of a race is marked, too");
  await page.close();
}

// A read of an older value says what it reads, and an arrow leads there; the choice of a store has no row.
if (names.includes("stale")) {
  const document = JSON.parse(readFileSync(`${folder}/stale.json`, "utf8"));
  const [read, store] = [document.steps[5], document.steps[7]];
  assert.deepEqual([read.reads, read.newer, read.after, read.order], [1, [2], [1], "relaxed"]);
  assert.deepEqual([store.behind, store.newer, store.reads], [1, [2], undefined]);
  for (const [width, colorScheme] of [[390, "light"], [1280, "dark"]]) {
    const page = await open("stale", { colorScheme, viewport: { width, height: 900 } });
    assert.equal(await page.locator("#step-7").count(), 0);
    assert.ok((await page.textContent(".words")).includes("What would forbid it, and was tried: release for"));
    await page.goto(page.url() + "#step-6");
    await page.waitForSelector(".panel .older");
    const said = shown(await page.textContent(".panel .older"));
    assert.match(said, /It reads what was stored by step 1, main: atomic.store x = 1 \(relaxed\)\.That is not the newest value/);
    assert.match(said, /Nothing orders this newer store before this step:step 2, main.*What would forbid this failure/);
    assert.equal(await page.locator('.older[data-arrow="1-6"]').count(), 1);
    assert.equal(await page.locator('.older[data-arrow="1-8"]').count(), 1);
    assert.deepEqual(await objections(page), []);
    await page.goto(page.url().replace("#step-6", "#step-10"));
    await page.waitForFunction(() => document.querySelector(".panel h2")?.textContent.startsWith("Step 10"));
    assert.match(shown(await page.textContent(".panel")),
      /All accesses to data\[0\]in step 3, main writes data\[0\] = 5 a.cpp:9in step 10, thread 1 reads data\[0\] = 5 a.cpp:8/);
    await page.goto(page.url().replace("#step-10", "#step-6"));
    await page.waitForSelector(".panel .older");
    await page.locator(".panel .older a").last().click();
    await page.waitForFunction(() => location.hash === "#step-2");
    await page.close();
  }
}

// What is left of a crash has no steps.
if (names.includes("crash")) {
  const page = await open("crash");
  assert.ok((await page.textContent("main")).includes("a replay will complete the file"));
  await page.close();
}

// The searches of a run, of which one has a name that is markup, and one is of a model.
for (const [width, colorScheme] of [[390, "dark"], [1280, "light"]]) {
  const page = await open("searches", { colorScheme, viewport: { width, height: 900 } });
  assert.equal(await page.textContent("h1"), "1 of 3 failed, 0 stopped, 2 passed");
  assert.ok((await page.locator(".search").first().textContent()).includes("<script>alert(1)</script>"), "failures come first");
  assert.equal(await page.locator(".bounds tbody tr").count(), 3);
  assert.equal(await page.locator(".bounds").last().textContent(), "preemptionsnew states02", "states of a model are counted");
  assert.equal(await page.locator(".state-graph g.state").count(), 2);
  assert.equal(await page.locator(".fails-text a").getAttribute("href"), "./stale.html#step-10", "a failure leads to the step that fails");
  await page.locator(".meetings summary").click();
  assert.equal(await page.textContent(".meetings summary"), "Threads met at 2 pairs of places: 1 in one order only");
  assert.equal(await page.textContent(".meetings tr.one-order"), "atomic.store a.cpp:1atomic.load b.cpp:27never");
  assert.deepEqual(await objections(page), []);
  assert.ok(!(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)));
  await page.close();
}

// A long schedule opens at once.
if (names.includes("long")) {
  const begin = performance.now();
  const page = await open("long");
  await page.waitForSelector(".row.step");
  const opened = performance.now() - begin;
  await page.keyboard.press("e");
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => document.querySelector("#step-20000") !== null);
  assert.ok((await page.locator(".row").count()) < 200, "only the rows in sight are there");
  console.log(`a page of 20 000 steps opens in ${Math.round(opened)} ms`);
  assert.ok(opened < 5000);
  await page.close();
}
await browser.close();
console.log(`${names.length} pages do as they should`);
