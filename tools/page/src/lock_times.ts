// Who holds a lock, and who waits for it, from which step to which.
import type { Failure } from "./document";

export interface LockTime {
  thread: number;
  holds: boolean;
  /** The first step with which it holds or waits, and the one at which that is over: none if it never is. */
  from: number;
  to: number | undefined;
}

/** Whether steps take or give back an object of this name. */
export function isLock(failure: Failure, name: string): boolean {
  return failure.steps.some((step) => step.takes === name || step.gives === name);
}

/** In the order in which they begin. A thread waits while another one holds what its next step takes. */
export function lockTimes(failure: Failure, lock: string): LockTime[] {
  const times: LockTime[] = [];
  const holding = new Map<number, LockTime[]>();
  const waiting = new Map<number, LockTime>();
  // For each thread the steps at which it takes the lock, the next one last.
  const takes = new Map<number, number[]>();
  const before = new Map<number, number>(); // the step before each of these
  const last = new Map<number, number>();
  // The last step of the thread so far, or before it was created.
  const lastOf = (thread: number) => last.get(thread) ?? failure.threads[thread]!.made_after ?? 0;
  // Threads that take it shared do not wait for each other.
  const isShared = (number: number | undefined) => failure.steps[(number ?? 0) - 1]?.does.includes("shared") === true;
  for (const step of failure.steps) {
    if (step.takes === lock) {
      takes.set(step.thread, [step.step, ...(takes.get(step.thread) ?? [])]);
      before.set(step.step, lastOf(step.thread));
    }
    last.set(step.thread, step.step);
  }
  for (const wait of failure.waits ?? []) {
    if (wait.object !== lock || wait.for !== "lock") continue;
    const never = failure.steps.length + 1;
    takes.set(wait.thread, [never, ...(takes.get(wait.thread) ?? [])]);
    before.set(never, lastOf(wait.thread));
  }
  const begin = (thread: number, holds: boolean, from: number) => {
    const time: LockTime = { thread, holds, from, to: undefined };
    times.push(time);
    return time;
  };
  for (const { step, thread, takes: taken, gives } of failure.steps) {
    if (gives === lock) {
      const time = holding.get(thread)?.pop();
      if (time !== undefined) time.to = step;
    }
    if (taken === lock) {
      takes.get(thread)!.pop();
      const time = waiting.get(thread);
      if (time !== undefined) time.to = step;
      waiting.delete(thread);
      holding.set(thread, [...(holding.get(thread) ?? []), begin(thread, true, step)]);
    }
    for (const [other, nexts] of takes) {
      const next = nexts.at(-1);
      if (next === undefined || before.get(next)! > step) continue;
      const isHeld = [...holding].some(
        ([holder, all]) => holder !== other && all.some((time) => !isShared(time.from) || !isShared(next)));
      const time = waiting.get(other);
      if (isHeld && time === undefined) waiting.set(other, begin(other, false, step));
      if (!isHeld && time !== undefined) {
        time.to = step;
        waiting.delete(other);
      }
    }
  }
  return times;
}
