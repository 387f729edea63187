// The keys, and what each does.
import { isOf, type Asked } from "./address";
import { isShown, type Failure, type Step } from "./document";

export const keys: [string, string][] = [
  ["j ↓", "next step"],
  ["k ↑", "step before"],
  ["t", "next step of this thread (T: before)"],
  ["o", "next step of this object (O: before)"],
  ["p", "next preemption (P: before)"],
  ["f", "the step that fails"],
  ["e", "open all folds, or fold again"],
  ["Esc", "close"],
  ["?", "this list"],
];

/** The step that a key leads to from what is asked; undefined if there is none. */
export function target(failure: Failure, asked: Asked, key: string): number | undefined {
  const { steps } = failure;
  const from = asked.step;
  const here = from === undefined ? undefined : steps[from - 1];
  const next = (wanted: (step: Step) => boolean) => steps.slice(from ?? 0).find(wanted)?.step;
  const before = (wanted: (step: Step) => boolean) => steps.slice(0, (from ?? steps.length + 1) - 1).findLast(wanted)?.step;
  const all = isShown;
  const ofThread = (step: Step) => isShown(step) && (here === undefined || step.thread === here.thread);
  const ofObject = (step: Step) => asked.object !== undefined ? isOf(step, asked.object) : here === undefined || (here.object !== undefined && step.object === here.object);
  const cut = (step: Step) => step.preempted !== undefined;
  switch (key) {
    case "j":
    case "ArrowDown":
      return next(all);
    case "k":
    case "ArrowUp":
      return before(all);
    case "t":
      return next(ofThread);
    case "T":
      return before(ofThread);
    case "o":
      return next(ofObject);
    case "O":
      return before(ofObject);
    case "p":
      return next(cut);
    case "P":
      return before(cut);
    case "f":
      return failure.fails_at;
    default:
      return undefined;
  }
}

export function KeyList({ close }: { close: () => void }) {
  return (
    <div class="keys" role="dialog" aria-label="Keys">
      <div class="panel-head">
        <h2>Keys</h2>
        <button type="button" onClick={close} aria-label="Close">✕</button>
      </div>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
