import { describe, expect, test } from "vitest";
import { arrowsOf, rowOfSteps } from "../src/arrows";
import type { Failure, Step } from "../src/document";
import { target } from "../src/keys";
import { lifeEdges } from "../src/lives";
import { isLock, lockTimes } from "../src/lock_times";
import { locksAfter, standing } from "../src/moment";
import { Order } from "../src/order";
import { foldsOf, rowsOf, runsOf } from "../src/rows";
import { inOrder, sign, timeText } from "../src/search_report";
import { numberText, placeText, visible } from "../src/visible";
import { nodesOf, waitText } from "../src/waits";

function failure(steps: Omit<Step, "step">[], shown: [number, number][] = [[1, steps.length]]): Failure {
  return {
    hocket_failure: 1, test: "a.b", failure: "check", headline: ["it broke"], origin: "", words: [], replay: "",
    preemptions: 0, complete: true, stacks: [], threads: [{ thread: "main" }, { thread: "thread 1" }], shown,
    fails_at: steps.length, steps: steps.map((step, n) => ({ step: n + 1, ...step })),
  };
}

const handOver = failure([
  { thread: 0, does: "atomic.store", object: "data", writes: true },
  { thread: 1, does: "atomic.load", object: "other", writes: false },
  { thread: 0, does: "atomic.store", object: "flag", writes: true },
  { thread: 1, preempted: 0, does: "atomic.load", object: "flag", writes: false, after: [3] },
  { thread: 0, does: "atomic.load", object: "data", writes: false },
  { thread: 1, does: "atomic.load", object: "data", writes: false, after: [1] },
]);

describe("the order of steps", () => {
  const order = new Order(handOver.steps, 2);
  test("goes from thread to thread through objects", () => {
    expect(order.relation(6, 1)).toBe("past");
    expect(order.relation(4, 3)).toBe("past");
    expect(order.relation(1, 6)).toBe("future");
  });
  test("leaves steps unordered that have nothing in common", () => {
    expect(order.relation(2, 1)).toBe("unordered");
    expect(order.relation(5, 6)).toBe("unordered");
    expect(order.relation(4, 5)).toBe("unordered");
  });
});

test("the order of a schedule that is too long is not known", () => {
  expect(new Order(handOver.steps, 100_000_000).isKnown).toBe(false);
});

describe("a thread that is created and joined", () => {
  const steps = failure([
    { thread: 0, does: "atomic.store", object: "a", writes: true },
    { thread: 0, does: "atomic.store", object: "b", writes: true },
    { thread: 1, does: "atomic.store", object: "c", writes: true },
    { thread: 0, does: "atomic.store", object: "d", writes: true },
    { thread: 1, does: "atomic.store", object: "e", writes: true },
    { thread: 0, does: "atomic.store", object: "f", writes: true },
  ]);
  steps.threads = [{ thread: "main" }, { thread: "thread 1", creator: 0, made_after: 1, joiner: 0, joined_after: 5 }];
  const edges = lifeEdges(steps);
  test("begins after the last step of its creator, and ends before the next of its joiner", () => {
    expect(edges).toEqual([{ kind: "made", from: 1, to: 3 }, { kind: "joined", from: 5, to: 6 }]);
  });
  test("orders these steps, and no others", () => {
    const order = new Order(steps.steps, 2, edges);
    expect([1, 2, 4, 6].map((step) => order.relation(3, step))).toEqual(["past", "unordered", "unordered", "future"]);
  });
  test("has no edge where the file does not say when", () => {
    expect(lifeEdges({ ...steps, threads: [{ thread: "main" }, { thread: "thread 1", creator: 0 }] })).toEqual([]);
  });
});

describe("a lock", () => {
  const lock = failure([
    { thread: 0, does: "mutex.lock", object: "m", takes: "m" },
    { thread: 1, does: "atomic.load", object: "x" },
    { thread: 0, does: "condition.wait", object: "c", gives: "m" },
    { thread: 1, does: "mutex.lock", object: "m", takes: "m" },
  ]);
  lock.waits = [{ thread: 0, for: "lock", object: "m", on: [1] }];
  test("is held, and waited for while another thread holds it", () => {
    expect(lockTimes(lock, "m")).toEqual([
      { thread: 0, holds: true, from: 1, to: 3 },
      { thread: 1, holds: false, from: 2, to: 3 },
      { thread: 1, holds: true, from: 4, to: undefined },
      { thread: 0, holds: false, from: 4, to: undefined },
    ]);
    expect([isLock(lock, "m"), isLock(lock, "x")]).toEqual([true, false]);
  });
  test("that two threads take shared makes neither wait", () => {
    const shared = failure([
      { thread: 0, does: "mutex.lock_shared", object: "m", takes: "m" },
      { thread: 1, does: "mutex.lock_shared", object: "m", takes: "m" },
    ]);
    expect(lockTimes(shared, "m").map((time) => time.holds)).toEqual([true, true]);
  });
});

describe("who waits for whom", () => {
  const stuck = failure([]);
  stuck.threads = ["main", "a", "b", "c"].map((thread) => ({ thread }));
  stuck.waits = [
    { thread: 0, for: "end", on: [2] },
    { thread: 1, for: "lock", object: "m", on: [2] },
    { thread: 2, for: "lock", object: "n", on: [1] },
    { thread: 3, for: "notification", object: "c" },
  ];
  test("is drawn with each thread above the one that it waits for, and tells the circle from the rest", () => {
    expect(nodesOf(stuck).map((node) => [node.thread, node.inCircle])).toEqual([[0, false], [2, true], [1, true], [3, false]]);
  });
  test("is told in words", () => {
    expect(stuck.waits!.map(waitText)).toEqual(["waits for the end", "waits for m", "waits for n", "waits for a notification of c"]);
  });
});

describe("a moment", () => {
  const locks = failure([
    { thread: 0, does: "mutex.lock", object: "m", takes: "m" },
    { thread: 0, does: "mutex.unlock", object: "m", gives: "m" },
    { thread: 1, does: "mutex.lock", object: "m", takes: "m" },
  ]);
  test("has the locks that are held", () => {
    expect([...locksAfter(locks, 1)]).toEqual([["m", [0]]]);
    expect([...locksAfter(locks, 2)]).toEqual([]);
  });
  test("tells who waits for whom", () => {
    expect(standing(locks, 1)).toEqual([{ thread: 1, next: locks.steps[2], heldBy: 0 }]);
    expect(standing(locks, 2)[0]!.heldBy).toBeUndefined();
  });
});

describe("a read of an older value", () => {
  const stale = failure([
    { thread: 0, does: "atomic.store", object: "x", writes: true },
    { thread: 0, does: "atomic.store", object: "x", writes: true },
    { thread: 1, does: "atomic.load", object: "x", writes: false, reads: 1, newer: [2], after: [1], notes: [{ note: "stale" }, { note: "more" }] },
    { thread: 1, does: "stale", for: 3 },
    { thread: 1, does: "atomic.load", object: "x", writes: false, reads: 2, after: [2] },
  ]);
  test("has an arrow from what it reads, which is another one than those of the selected step", () => {
    const older = { kind: "older", from: 1, to: 3 };
    expect(arrowsOf(stale, [], undefined)).toEqual([older]);
    expect(arrowsOf(stale, [], 3)).toEqual([older]);
    expect(arrowsOf(stale, [], 5)).toEqual([older, { kind: "before", from: 2, to: 5 }]);
  });
  test("has a row that says so, and its choice has none, nor a key that leads there", () => {
    const rows = rowsOf(stale, new Set());
    expect(rows.map((row) => row.kind)).toEqual(["step", "step", "step", "older", "note", "step"]);
    expect([...rowOfSteps(rows, 5)]).toEqual([-1, 0, 1, 2, -1, 5]);
    expect(target(stale, 3, "j")).toBe(5);
  });
  test("comes before nothing that stored a newer value", () => {
    const order = new Order(stale.steps, 2);
    expect([1, 2].map((step) => order.relation(3, step))).toEqual(["past", "unordered"]);
  });
});

describe("rows", () => {
  const long = failure(Array.from({ length: 20 }, () => ({ thread: 1, does: "atomic.load" })), [[3, 4], [18, 20]]);
  test("fold what lies between the steps that are shown", () => {
    expect(foldsOf(long)).toEqual([[1, 2], [5, 17]]);
    expect(rowsOf(long, new Set()).map((row) => row.kind)).toEqual(
      ["fold", "step", "step", "fold", "step", "step", "step"]);
    expect(rowsOf(long, new Set()).find((row) => row.kind === "fold" && row.first === 5)).toMatchObject({
      text: "13 steps of thread 1" });
  });
  test("fold long runs of one thread in a fold that is opened, if there is something else in it", () => {
    const mixed = failure(
      Array.from({ length: 20 }, (_, n) => ({ thread: n === 4 ? 0 : 1, does: "atomic.load" })), [[20, 20]]);
    expect(runsOf(mixed)).toEqual([[7, 18]]);
    expect(runsOf(long)).toEqual([]);
    expect(rowsOf(mixed, new Set()).length).toBe(2);
    const rows = rowsOf(mixed, new Set([1]));
    expect(rows.length).toBe(9);
    expect(rows[6]).toMatchObject({ kind: "fold", first: 7, last: 18, text: "12 steps of thread 1" });
    expect(rowsOf(mixed, new Set([1, 7])).length).toBe(20);
  });
  test("have every step when all folds are open", () => {
    expect(rowsOf(long, new Set([1, 5])).length).toBe(20);
  });
  test("show a preemption before the step of the other thread", () => {
    expect(rowsOf(handOver, new Set()).map((row) => row.kind)).toEqual(
      ["step", "step", "step", "cut", "step", "step", "step"]);
  });
});

test("keys lead to steps of the thread, of the object and to preemptions", () => {
  expect(target(handOver, undefined, "j")).toBe(1);
  expect(target(handOver, 1, "t")).toBe(3);
  expect(target(handOver, 6, "T")).toBe(4);
  expect(target(handOver, 1, "o")).toBe(5);
  expect(target(handOver, undefined, "p")).toBe(4);
  expect(target(handOver, 1, "f")).toBe(6);
  expect(target(handOver, 6, "j")).toBeUndefined();
});

test("characters that nobody sees are shown as numbers", () => {
  expect(visible("a\u202eb\u200bc")).toBe("a⟨U+202E⟩b⟨U+200B⟩c");
  expect(visible("größe → 3")).toBe("größe → 3");
  expect(numberText(20000)).toBe("20\u202f000");
});

test("searches that failed come first, and a verdict has a sign", () => {
  const searches = ["passed exhaustively", "stopped", "failed"].map((verdict) => ({ test: "a.b", verdict }));
  expect(inOrder(searches).map((search) => search.verdict)).toEqual(["failed", "stopped", "passed exhaustively"]);
  expect(["passed sample", "stopped", "nondeterministic"].map(sign)).toEqual(["✔", "◌", "✖"]);
  expect([timeText(0.0396), timeText(2.34), timeText(600)]).toEqual(["40 ms", "2.3 s", "10 min"]);
});

test("of a long place the line stays", () => {
  expect(placeText("queue.cpp:12", 28)).toBe("queue.cpp:12");
  expect(placeText("a_very_long_name_of_a_file.cpp:123", 20)).toBe("a_very_long_nam…:123");
});
