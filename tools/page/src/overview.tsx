// The whole schedule in one line a thread, time to the right: which thread ran when, where one was preempted, and where it fails.
// A click leads to the step there. Nothing in it is not in the table, so it is left out of what is read aloud.
import { useMemo } from "preact/hooks";
import { isShown, type Failure, type Step } from "./document";
import { threadsOf } from "./rows";
import { visible } from "./visible";

const pieces = 500; // of a line, at most
const mostLines = 16;

interface Line {
  thread: number;
  /** Pieces [from, to) in which it runs. */
  runs: [number, number][];
}

function linesOf(threads: number[], steps: Step[], count: number): Line[] {
  const lines = new Map<number, Line>(threads.map((thread) => [thread, { thread, runs: [] }]));
  steps.forEach((step, n) => {
    const from = Math.floor((n * count) / steps.length);
    const to = Math.max(from + 1, Math.floor(((n + 1) * count) / steps.length));
    const line = lines.get(step.thread)!;
    const last = line.runs.at(-1);
    if (last !== undefined && last[1] >= from) last[1] = Math.max(last[1], to);
    else line.runs.push([from, to]);
  });
  return [...lines.values()];
}

export function Overview({ failure, selected, go }: { failure: Failure; selected: number | undefined; go: (step: number) => void }) {
  const steps = useMemo(() => failure.steps.filter(isShown), [failure]);
  const count = Math.min(pieces, steps.length);
  const lines = useMemo(() => linesOf(threadsOf(failure), steps, count), [failure]);
  const cuts = useMemo(() => [...new Set(steps.flatMap((step, n) => (step.preempted === undefined ? [] : Math.floor((n * pieces) / steps.length))))], [steps]);
  if (steps.length < 2) return null;
  const shown = lines.slice(0, mostLines);
  const middle = (number: number | undefined) => {
    const n = steps.findIndex((step) => step.step === number);
    return n < 0 ? undefined : `clamp(6px, ${((n + 0.5) / steps.length) * 100}%, calc(100% - 6px))`;
  };
  const [here, fails] = [middle(selected), middle(failure.fails_at)];
  const choose = (event: MouseEvent) => {
    const area = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const n = Math.floor(((event.clientX - area.left) / area.width) * steps.length);
    go(steps[Math.max(0, Math.min(steps.length - 1, n))]!.step);
  };
  return (
    <div class={`overview ${shown.length > 6 ? "many" : ""}`} aria-hidden="true">
      <div class="overview-names">{shown.map(({ thread }) => <span key={thread}>{visible(failure.threads[thread]!.thread)}</span>)}</div>
      <div class="overview-time" title="A click leads to the step" onClick={choose}>
        {shown.map(({ thread, runs }, n) => (
          <div key={thread} class={`hue-${n % 8}`}>
            {runs.map(([from, to]) => <i key={from} style={{ left: `${(from / count) * 100}%`, width: `${((to - from) / count) * 100}%` }} />)}
          </div>
        ))}
        {cuts.map((cut) => <b key={cut} class="cut-at" style={{ left: `${(cut / pieces) * 100}%` }} />)}
        {fails !== undefined && <b class="fails-at" style={{ left: fails }}>✖</b>}
        {here !== undefined && <b class="here-at" style={{ left: here }} />}
      </div>
    </div>
  );
}
