import { describe, expect, test } from "vitest";
import type { Failure, Step } from "../src/document";
import { target } from "../src/keys";
import { locksAfter, standing } from "../src/moment";
import { Order } from "../src/order";
import { foldsOf, rowsOf } from "../src/rows";
import { inOrder, sign, timeText } from "../src/search_report";
import { numberText, placeText, visible } from "../src/visible";

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

describe("rows", () => {
  const long = failure(Array.from({ length: 20 }, () => ({ thread: 1, does: "atomic.load" })), [[3, 4], [18, 20]]);
  test("fold what lies between the steps that are shown", () => {
    expect(foldsOf(long)).toEqual([[1, 2], [5, 17]]);
    expect(rowsOf(long, new Set()).map((row) => row.kind)).toEqual(
      ["fold", "step", "step", "fold", "step", "step", "step"]);
    expect(rowsOf(long, new Set()).find((row) => row.kind === "fold" && row.first === 5)).toMatchObject({
      text: "13 steps of thread 1" });
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
