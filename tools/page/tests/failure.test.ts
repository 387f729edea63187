import { describe, expect, test } from "vitest";
import { askedIn, objectAddress } from "../src/address";
import { arrowsOf, rowOfSteps } from "../src/arrows";
import { withEachStep, type Failure, type Step } from "../src/document";
import { target } from "../src/keys";
import { lifeEdges } from "../src/lives";
import { isLock, lockTimes } from "../src/lock_times";
import { locksAfter, standing } from "../src/moment";
import { Order } from "../src/order";
import { reservationsOf } from "../src/reservations";
import { changeText, foldsOf, rowsOf, runsOf } from "../src/rows";
import { inOrder, pageOf, sign, timeText } from "../src/search_report";
import { layersOf, layoutOf, nodeWidth } from "../src/state_layout";
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
    expect(target(stale, { step: 3 }, "j")).toBe(5);
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
  expect(target(handOver, {}, "j")).toBe(1);
  expect(target(handOver, { step: 1 }, "t")).toBe(3);
  expect(target(handOver, { step: 6 }, "T")).toBe(4);
  expect(target(handOver, { step: 1 }, "o")).toBe(5);
  expect(target(handOver, {}, "p")).toBe(4);
  expect(target(handOver, { step: 1 }, "f")).toBe(6);
  expect(target(handOver, { step: 6 }, "j")).toBeUndefined();
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

test("the address names a step or an object that is there", () => {
  expect(askedIn("#step-3", handOver)).toEqual({ step: 3 });
  expect(askedIn("#step-7", handOver)).toEqual({});
  expect(askedIn(objectAddress("flag"), handOver)).toEqual({ object: "flag" });
  expect(askedIn("#object-elsewhere", handOver)).toEqual({});
  expect(askedIn("#object-%", handOver)).toEqual({});
  expect(target(handOver, { object: "flag" }, "o")).toBe(3);
});

test("the page of searches says what a verdict depends on, in the words of the page on passes", () => {
  expect(reservationsOf({ test: "a", verdict: "passed exhaustively", dropped: 0 })).toEqual([]);
  expect(reservationsOf({
    test: "a", verdict: "stopped", dropped: 2, polls_at: ["a.cpp:3"], most_stale: 1, memory_model: "c11",
    weaker_operations: [{ operation: "flag.load", where: "a.cpp:4", order: "acquire" }],
    unfinished: { bound: 2, share: 0.25, least_seconds_left: 3, most_seconds_left: 600 },
  })).toEqual([
    "Priced: rounds of polling counted like preemptions (yield at a.cpp:3).",
    "Left out: executions with more than 1 read of an older value.",
    "Left out: 2 executions that assume() dropped.",
    "Not seen: executions in which a value is read before it is stored (load buffering), which C++ allows, too.",
    "Not seen: what weaker orders than seq_cst allow 1 operation: flag.load at a.cpp:4 (acquire).",
    "Not run: the rest of bound 2, of which about 25 % was. It would take 3.0 s to 10 min more.",
  ]);
});

test("a failure is linked to a page beside it only", () => {
  expect(pageOf({ kind: "check", message: "", page: "./a.html#step-3" })).toBe("./a.html#step-3");
  expect(pageOf({ kind: "check", message: "", page: "javascript:alert(1)" })).toBeUndefined();
});

describe("the states of a model", () => {
  // 0 leads to 1 and 2, both lead to 3, which leads back; nothing leads to 4.
  const edges: [number, number][] = [[0, 1], [0, 2], [1, 3], [2, 3], [3, 0]];
  const model = { states: [0, 1, 2, 3, 4].map((n) => [String(n)]), transitions: edges.map(([from, to]) => ({ from, to, process: "p", does: "go" })) };
  test("are in layers by the steps that lead there", () => {
    expect(layersOf(model)).toEqual([0, 1, 1, 2, 3]);
    expect(layersOf({ states: [["0"]], transitions: [{ from: 0, process: "p", does: "fail" }] })).toEqual([0]);
  });
  test("do not cover each other, and the path runs straight", () => {
    const wide = { states: Array.from({ length: 60 }, (_, n) => [String(n)]), transitions: Array.from({ length: 59 }, (_, n) => ({ from: Math.floor(n / 3), to: n + 1, process: "p", does: "go" })) };
    const { places, width } = layoutOf(wide, [1, 4, 13, 40]);
    for (const one of places) {
      expect(one.x).toBeGreaterThanOrEqual(nodeWidth / 2);
      expect(one.x).toBeLessThanOrEqual(width);
      for (const other of places)
        if (one !== other && one.y === other.y) expect(Math.abs(one.x - other.x)).toBeGreaterThan(nodeWidth);
    }
    const { places: square } = layoutOf(model, [1, 3]);
    expect(Math.abs(square[0]!.x - square[1]!.x)).toBeLessThan(Math.abs(square[0]!.x - square[2]!.x));
  });
  test("change in parts that have names, if these are known", () => {
    const path = failure([{ thread: 0, does: "model.step", leads_to: 1, changed: [1], notes: [{ note: "true" }] }]);
    path.model = { members: ["at", "is_taken"], states: [["0", "false"], ["0", "true"]] };
    expect(changeText(path, path.steps[0]!)).toBe("is_taken = true");
    delete path.model.members;
    expect(changeText(path, path.steps[0]!)).toBeUndefined();
  });
});

test("an entry for steps that the file leaves out stands for each of them", () => {
  const document = failure([{ thread: 0, does: "a" }, { thread: 1, does: "(left out)", left_out: 3 }]);
  document.steps.push({ step: 5, thread: 0, does: "b" });
  expect(withEachStep(document).steps.map(({ step, thread, left_out }) => [step, thread, left_out])).toEqual([
    [1, 0, undefined], [2, 1, undefined], [3, 1, undefined], [4, 1, undefined], [5, 0, undefined],
  ]);
});
