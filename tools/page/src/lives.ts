// Which steps are ordered because a thread is created or joined: between the last step before and the first after.
import type { Failure } from "./document";

export interface LifeEdge {
  kind: "made" | "joined";
  /** Numbers of steps. */
  from: number;
  to: number;
}

/** A thread that makes no step, or whose creator or joiner makes none there, has no edge. */
export function lifeEdges(failure: Failure): LifeEdge[] {
  const ofThread: number[][] = failure.threads.map(() => []);
  for (const step of failure.steps) ofThread[step.thread]!.push(step.step);
  const edges: LifeEdge[] = [];
  failure.threads.forEach((thread, n) => {
    const own = ofThread[n]!;
    const add = (kind: LifeEdge["kind"], from: number | undefined, to: number | undefined) => {
      if (from !== undefined && to !== undefined && from < to) edges.push({ kind, from, to });
    };
    const { creator, made_after: made, joiner, joined_after: joined } = thread;
    if (creator !== undefined && made !== undefined)
      add("made", ofThread[creator]!.findLast((step) => step <= made), own[0]);
    if (joiner !== undefined && joined !== undefined)
      add("joined", own.at(-1), ofThread[joiner]!.find((step) => step > joined));
  });
  return edges;
}
