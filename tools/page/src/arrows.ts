// Arrows between rows: from the store that was read to a read that is not of the newest value, between a thread and the
// one that it creates or joins, and from the steps that the selected one comes directly after.
import type { Failure } from "./document";
import type { LifeEdge } from "./lives";
import type { Row } from "./rows";

export interface Arrow {
  kind: "older" | "before" | LifeEdge["kind"];
  /** A number of a step; 0 for what was there before the first. */
  from: number;
  to: number;
}

/** The arrows, if the step `selected` is selected. */
export function arrowsOf(failure: Failure, lives: LifeEdge[], selected: number | undefined): Arrow[] {
  const arrows: Arrow[] = [...lives];
  for (const step of failure.steps) {
    const older = step.newer === undefined ? undefined : (step.reads ?? step.behind);
    if (older !== undefined) arrows.push({ kind: "older", from: older, to: step.step });
  }
  const step = selected === undefined ? undefined : failure.steps[selected - 1];
  for (const number of step?.after ?? []) {
    if (step!.newer === undefined) arrows.push({ kind: "before", from: number, to: step!.step });
  }
  return arrows;
}

/** For each step the number of the row that shows it, or in which it is folded; by the step's number. */
export function rowOfSteps(rows: Row[], steps: number): Int32Array {
  const places = new Int32Array(steps + 1).fill(-1);
  rows.forEach((row, n) => {
    if (row.kind === "step") places[row.step.step] = n;
    if (row.kind === "fold") places.fill(n, row.first, row.last + 1);
  });
  return places;
}
