// Which steps come before a step in every schedule with the same outcome, and which after it: from the order within
// each thread, the `after` of steps, and the creation and joining of threads, by vector clocks.
import type { Step } from "./document";
import type { LifeEdge } from "./lives";

export type Relation = "itself" | "past" | "future" | "unordered";

/** A clock for each step of a million steps by many threads would not fit into a browser. */
const mostNumbers = 50_000_000;

export class Order {
  /** Whether the schedule is short enough, and tells which steps use the same objects: a path of a model does not. */
  readonly isKnown: boolean;
  /** For each step and thread: how many steps of that thread come before it or are it. */
  readonly #clocks: Uint32Array;
  /** The place of each step among those of its thread, from 1. */
  readonly #places: Uint32Array;

  constructor(
    readonly steps: Step[],
    readonly threads: number,
    edges: LifeEdge[] = [],
  ) {
    this.isKnown = steps.length * threads <= mostNumbers && steps.some((step) => step.writes !== undefined);
    this.#clocks = new Uint32Array(this.isKnown ? steps.length * threads : 0);
    this.#places = new Uint32Array(this.isKnown ? steps.length : 0);
    if (!this.isKnown) return;
    const last = new Int32Array(threads).fill(-1);
    const lives = new Map<number, number[]>();
    for (const { from, to } of edges) lives.set(to, [...(lives.get(to) ?? []), from]);
    steps.forEach((step, n) => {
      const clock = this.#clock(n);
      const join = (other: number) => {
        this.#clock(other).forEach((count, thread) => {
          if (count > clock[thread]!) clock[thread] = count;
        });
      };
      const before = last[step.thread]!;
      if (before >= 0) join(before);
      for (const number of step.after ?? []) join(number - 1);
      for (const number of lives.get(step.step) ?? []) join(number - 1);
      clock[step.thread]! += 1;
      this.#places[n] = clock[step.thread]!;
      last[step.thread] = n;
    });
  }

  /** What the step `other` is to the step `number`; both are numbers of steps. */
  relation(number: number, other: number): Relation {
    if (number === other) return "itself";
    if (other < number) return this.#isBefore(other - 1, number - 1) ? "past" : "unordered";
    return this.#isBefore(number - 1, other - 1) ? "future" : "unordered";
  }

  #clock(n: number): Uint32Array {
    return this.#clocks.subarray(n * this.threads, (n + 1) * this.threads);
  }

  #isBefore(one: number, other: number): boolean {
    return this.#clock(other)[this.steps[one]!.thread]! >= this.#places[one]!;
  }
}
