// The rows of the table: a step, and what belongs to it, each on a row of its own; or a bar for steps that are folded.
import type { Failure, Step } from "./document";
import { numberText } from "./visible";

export type Row =
  | { kind: "step"; step: Step }
  | { kind: "cut"; step: Step; thread: number }
  | { kind: "note"; step: Step; text: string; at: string | undefined }
  | { kind: "fails"; step: Step; text: string }
  | { kind: "fold"; first: number; last: number; text: string };

/** The gaps between the ranges that are shown, as pairs of the first and the last step. */
export function foldsOf(failure: Failure): [number, number][] {
  const folds: [number, number][] = [];
  let next = 1;
  for (const [first, last] of [...failure.shown, [failure.steps.length + 1, 0] as const]) {
    if (first > next) folds.push([next, first - 1]);
    next = last + 1;
  }
  return folds;
}

export function foldText(failure: Failure, first: number, last: number): string {
  const steps = failure.steps.slice(first - 1, last);
  const threads = [...new Set(steps.map((step) => step.thread))];
  const whose =
    threads.length <= 2
      ? threads.map((thread) => failure.threads[thread]!.thread).join(" and ")
      : `${threads.length} threads`;
  const cuts = steps.filter((step) => step.preempted !== undefined).length;
  const counted = steps.length === 1 ? "1 step" : `${numberText(steps.length)} steps`;
  return `${counted} of ${whose}` + (cuts === 0 ? "" : cuts === 1 ? ", with 1 preemption" : `, with ${cuts} preemptions`);
}

/** The rows, if the folds that begin with the steps in `opened` are open. */
export function rowsOf(failure: Failure, opened: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  const folds = foldsOf(failure).filter(([first]) => !opened.has(first));
  let fold = 0;
  for (let n = 0; n < failure.steps.length; ++n) {
    const range = folds[fold];
    if (range !== undefined && range[0] === n + 1) {
      rows.push({ kind: "fold", first: range[0], last: range[1], text: foldText(failure, ...range) });
      n = range[1] - 1;
      ++fold;
      continue;
    }
    const step = failure.steps[n]!;
    if (step.preempted !== undefined) rows.push({ kind: "cut", step, thread: step.preempted });
    rows.push({ kind: "step", step });
    for (const note of step.notes ?? []) rows.push({ kind: "note", step, text: note.note, at: note.at });
    if (step.fails !== undefined) rows.push({ kind: "fails", step, text: step.fails });
  }
  return rows;
}
