// Who waits for whom at the end, as a graph that is drawn from top to bottom: each thread waits for at most one thing.
import type { Failure, Step, Wait } from "./document";

export interface Node {
  thread: number;
  /** Whether it waits, in the end, for itself. */
  inCircle: boolean;
  wait: Wait | undefined;
}

/** The threads that wait, and those that they wait for; each above the one that it waits for, as far as that is possible. */
export function nodesOf(failure: Failure): Node[] {
  const waits = new Map((failure.waits ?? []).map((wait) => [wait.thread, wait]));
  const targets = (thread: number) => waits.get(thread)?.on ?? [];
  const reaches = (from: number, wanted: number, seen = new Set<number>()): boolean =>
    targets(from).some((next) => next === wanted || (!seen.has(next) && reaches(next, wanted, seen.add(next))));
  const awaited = new Set([...waits.values()].flatMap((wait) => wait.on ?? []));
  const begins = [...waits.keys()].filter((thread) => !awaited.has(thread));
  const order = new Set<number>();
  const follow = (thread: number) => {
    if (order.has(thread)) return;
    order.add(thread);
    targets(thread).forEach(follow);
  };
  [...begins, ...waits.keys()].forEach(follow);
  return [...order].map((thread) => ({ thread, inCircle: reaches(thread, thread), wait: waits.get(thread) }));
}

/** "waits for the end of" or "waits for queue.mutex" */
export function waitText(wait: Wait): string {
  const of = wait.object === undefined ? "" : ` of ${wait.object}`;
  switch (wait.for) {
    case "lock":
    case "semaphore":
      return `waits for ${wait.object ?? `a ${wait.for}`}`;
    case "end":
      return "waits for the end";
    case "change":
      return `waits for a change${of}`;
    default:
      return `waits for a ${wait.for}${of}`;
  }
}

/** The last notification, if it came before the thread waited for it. */
export function missedBy(failure: Failure, wait: Wait): Step | undefined {
  if (wait.for !== "notification") return undefined;
  const isOf = (step: Step) => step.object === wait.object;
  const waits = failure.steps.findLast((step) => isOf(step) && step.thread === wait.thread && step.does.includes("wait"))?.step ?? Infinity;
  return failure.steps.findLast((step) => isOf(step) && step.thread !== wait.thread && step.does.includes("notify") && step.step < waits);
}
