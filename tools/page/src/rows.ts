// The rows of the table: a step, and what belongs to it, each on a row of its own; or a bar for steps that are folded.
import { isShown, type Between, type Failure, type Step } from "./document";
import { numberText } from "./visible";

export type Row =
  | { kind: "step"; step: Step }
  | { kind: "cut"; step: Step; thread: number }
  | { kind: "note"; step: Step; text: string; at: string | undefined }
  | { kind: "older"; step: Step; text: string }
  | { kind: "between"; step: Step; between: Between }
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

const leastRun = 8;

/** Of long runs of steps of one thread in such a gap all but the first and the last step, which are folded again within it. */
export function runsOf(failure: Failure): [number, number][] {
  return foldsOf(failure).flatMap(([first, last]) => {
    const runs: [number, number][] = [];
    for (let begin = first, n = first + 1; n <= last + 1; ++n) {
      const { thread } = failure.steps[begin - 1]!;
      if (n <= last && failure.steps[n - 1]!.thread === thread) continue;
      const isWhole = begin === first && n === last + 1; // nothing else is in the gap
      if (n - begin >= leastRun && !isWhole) runs.push([begin + 1, n - 2]);
      begin = n;
    }
    return runs;
  });
}

export function foldText(failure: Failure, first: number, last: number): string {
  const steps = failure.steps.slice(first - 1, last).filter(isShown);
  const threads = [...new Set(steps.map((step) => step.thread))];
  const whose =
    threads.length <= 2
      ? threads.map((thread) => failure.threads[thread]!.thread).join(" and ")
      : `${threads.length} threads`;
  const cuts = steps.filter((step) => step.preempted !== undefined).length;
  const counted = steps.length === 1 ? "1 step" : `${numberText(steps.length)} steps`;
  return `${counted} of ${whose}` + (cuts === 0 ? "" : cuts === 1 ? ", with 1 preemption" : `, with ${cuts} preemptions`);
}

/** What a step of a model changes in the state, with the names of its parts, if they are known: "count = 2, is_taken = true" */
export function changeText({ model }: Failure, step: Step): string | undefined {
  if (model?.members === undefined || step.changed === undefined) return undefined;
  const state = model.states[step.leads_to!]!;
  if (state.length !== model.members.length) return undefined;
  return step.changed.map((part) => `${model.members![part]} = ${state[part]}`).join(", ");
}

/** The threads that have rows, each with a column. */
export function threadsOf({ steps, between_steps: between = [] }: Failure): number[] {
  return [...new Set([...steps, ...between].map((one) => one.thread))].sort((a, b) => a - b);
}

/** Of which thread the row tells. */
export function threadOf(row: Exclude<Row, { kind: "fold" }>): number {
  return row.kind === "between" ? row.between.thread : row.kind === "cut" ? row.thread : row.step.thread;
}

/** The rows, if the folds that begin with the steps in `opened` are open. */
export function rowsOf(failure: Failure, opened: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  const closed = ([first]: [number, number]) => !opened.has(first);
  const folds = new Map([...runsOf(failure), ...foldsOf(failure)].filter(closed).map((range) => [range[0], range]));
  const between = (after: number, step: Step) => {
    for (const one of failure.between_steps ?? []) if (one.after === after) rows.push({ kind: "between", step, between: one });
  };
  if (failure.steps.length !== 0) between(0, failure.steps[0]!);
  for (let n = 0; n < failure.steps.length; ++n) {
    const range = folds.get(n + 1);
    if (range !== undefined) {
      rows.push({ kind: "fold", first: range[0], last: range[1], text: foldText(failure, ...range) });
      for (; n < range[1]; ++n) between(n + 1, failure.steps[n]!);
      --n;
      continue;
    }
    const step = failure.steps[n]!;
    if (!isShown(step)) {
      between(step.step, step);
      continue;
    }
    if (step.preempted !== undefined) rows.push({ kind: "cut", step, thread: step.preempted });
    rows.push({ kind: "step", step });
    // That a value is not the newest is its first note.
    step.notes?.forEach((note, at) => {
      const isOlder = step.newer !== undefined && at === 0;
      const text = (at === 0 ? changeText(failure, step) : undefined) ?? note.note;
      rows.push(isOlder ? { kind: "older", step, text } : { kind: "note", step, text, at: note.at });
    });
    between(step.step, step);
    if (step.fails !== undefined) rows.push({ kind: "fails", step, text: step.fails });
  }
  return rows;
}
