// What holds when a step has been made: which locks are held, and before which step each thread stands.
import type { Failure, Step } from "./document";

export interface Standing {
  thread: number;
  /** The thread's next step; none if it makes no further one. */
  next: Step | undefined;
  /** The thread that holds the lock which the next step takes. */
  heldBy: number | undefined;
}

/** For each lock that is held after the step, the threads that hold it. */
export function locksAfter(failure: Failure, number: number): Map<string, number[]> {
  const held = new Map<string, number[]>();
  for (const step of failure.steps.slice(0, number)) {
    if (step.gives !== undefined) {
      const holders = held.get(step.gives) ?? [];
      const at = holders.indexOf(step.thread);
      if (at >= 0) holders.splice(at, 1);
      if (holders.length === 0) held.delete(step.gives);
    }
    if (step.takes !== undefined) held.set(step.takes, [...(held.get(step.takes) ?? []), step.thread]);
  }
  return held;
}

/** Where the other threads stand after the step. Those that make no step at all are left out. */
export function standing(failure: Failure, number: number): Standing[] {
  const locks = locksAfter(failure, number);
  const all: Standing[] = [];
  const mine = failure.steps[number - 1]?.thread;
  const used = new Set(failure.steps.map((step) => step.thread));
  for (let thread = 0; thread < failure.threads.length; ++thread) {
    if (thread === mine || !used.has(thread)) continue;
    const next = failure.steps.slice(number).find((step) => step.thread === thread);
    const holders = next?.takes === undefined ? undefined : locks.get(next.takes);
    all.push({ thread, next, heldBy: holders?.find((holder) => holder !== thread) });
  }
  return all;
}
