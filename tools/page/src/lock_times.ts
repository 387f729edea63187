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
  const arrivals = arrivalsAt(failure, lock);
  const times: LockTime[] = [];
  const holding = new Map<number, LockTime[]>();
  const standing = new Map<number, Arrival>();
  const waiting = new Map<number, LockTime>();
  // Threads that take it shared do not wait for each other.
  const isShared = (number: number) => failure.steps[number - 1]?.does.includes("shared") === true;
  const begin = (thread: number, holds: boolean, from: number) => {
    const time: LockTime = { thread, holds, from, to: undefined };
    times.push(time);
    return time;
  };
  const end = (time: LockTime | undefined, step: number) => {
    if (time !== undefined) time.to = step;
  };
  const look = (arrival: Arrival, step: number) => {
    const { thread, takes } = arrival;
    const isHeld = [...holding].some(
      ([holder, all]) => holder !== thread && all.some((time) => !isShared(time.from) || !isShared(takes)));
    const time = waiting.get(thread);
    if (isHeld === (time !== undefined)) return;
    if (isHeld) {
      waiting.set(thread, begin(thread, false, step));
    } else {
      end(time, step);
      waiting.delete(thread);
    }
  };
  for (const { step, thread, takes, gives } of failure.steps) {
    if (gives === lock) end(holding.get(thread)?.pop(), step);
    if (takes === lock) {
      standing.delete(thread);
      end(waiting.get(thread), step);
      waiting.delete(thread);
      holding.set(thread, [...(holding.get(thread) ?? []), begin(thread, true, step)]);
    }
    for (const arrival of arrivals.get(step) ?? []) {
      standing.set(arrival.thread, arrival);
      look(arrival, step);
    }
    if (takes === lock || gives === lock) for (const arrival of standing.values()) look(arrival, step);
  }
  return times;
}

/** A thread whose next step takes the lock. */
interface Arrival {
  thread: number;
  /** That step; one after the last if it never comes. */
  takes: number;
}

/** Which threads come to stand before the lock after each step; after the first, those that stand there from the beginning. */
function arrivalsAt(failure: Failure, lock: string): Map<number, Arrival[]> {
  const arrivals = new Map<number, Arrival[]>();
  // The last step of each thread so far, or before it was created.
  const last = failure.threads.map((thread) => thread.made_after ?? 0);
  const add = (thread: number, takes: number) => {
    const at = Math.max(1, last[thread]!);
    if (at >= takes) return;
    arrivals.set(at, [...(arrivals.get(at) ?? []), { thread, takes }]);
  };
  for (const step of failure.steps) {
    if (step.takes === lock) add(step.thread, step.step);
    last[step.thread] = step.step;
  }
  for (const wait of failure.waits ?? []) {
    if (wait.object === lock && wait.for === "lock") add(wait.thread, failure.steps.length + 1);
  }
  return arrivals;
}
