// The history of an object: all its steps, who holds it if it is a lock, and all accesses to it if it is a variable.
import { isOf, objectAddress, stepAddress } from "./address";
import type { Failure, Note, Step } from "./document";
import { isLock } from "./lock_times";
import { LockTimeline } from "./lock_timeline";
import { StepLink, stepText } from "./step_link";
import { numberText, visible } from "./visible";

const mostOfObject = 40;

/** The name of an object, which leads to its history. */
export function ObjectLink({ object }: { object: string }) {
  // Whole, because nothing of this name is in the page, where a link with "#" alone would lead.
  return <a class="object" href={location.href.replace(/#.*$/, "") + objectAddress(object)}>{visible(object)}</a>;
}

/** Those of `all` that are near the step, and a line that says which they are. */
function near<Item>(all: Item[], at: number, what: string): { shown: Item[]; said: preact.JSX.Element | false } {
  const begin = Math.max(0, Math.min(at - mostOfObject / 2, all.length - mostOfObject));
  const shown = all.slice(begin, begin + mostOfObject);
  const said = shown.length !== all.length && (
    <p class="quiet">{numberText(begin + 1)} to {numberText(begin + shown.length)} of {numberText(all.length)} {what}</p>
  );
  return { shown, said };
}

interface Properties {
  failure: Failure;
  object: string;
  /** The step that is selected, if one is. */
  here?: Step | undefined;
  go: (step: number) => void;
}

function Operations({ failure, object, here, go }: Properties) {
  const all = failure.steps.filter((other) => other.object === object || other.takes === object || other.gives === object);
  if (all.length === 0) return null;
  const { shown, said } = near(all, here === undefined ? 0 : all.indexOf(here), "steps");
  return (
    <>
      {isLock(failure, object) && <LockTimeline failure={failure} lock={object} here={here?.step} go={go} />}
      {said}
      <ol role="list" class="history">
        {shown.map((other) => (
          <li key={other.step} class={other === here ? "here" : ""}>
            {other === here ? <b>step {other.step}, this one: {stepText(other)}</b> : <StepLink step={other} failure={failure} go={go} />}
            {other.writes === false && <span class="quiet"> reads</span>}
            {other.newer !== undefined && <span class="older-value"> ↶ of step {other.reads ?? other.behind}, not the newest</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

function Accesses({ failure, object, here, go }: Properties) {
  const all: { other: Step; note: Note }[] = failure.steps.flatMap((other) =>
    (other.notes ?? []).filter((note) => note.object === object).map((note) => ({ other, note })));
  if (all.length === 0) return null;
  const { shown, said } = near(all, here === undefined ? 0 : all.findIndex(({ other }) => other === here), "accesses");
  return (
    <>
      {said}
      <ol role="list" class="history">
        {shown.map(({ other, note }, n) => (
          <li key={n} class={other === here ? "here" : ""}>
            <a href={stepAddress(other.step)} onClick={() => go(other.step)}>
              in step {other.step}, {visible(failure.threads[other.thread]!.thread)}
            </a>{" "}
            {visible(note.note)} <span class="place">{visible(note.at ?? "")}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The history in the panel of a step. */
export function History(properties: Properties) {
  const { failure, object } = properties;
  const isVariable = !failure.steps.some((step) => step.object === object || step.takes === object);
  return (
    <section>
      <h3>{isVariable ? "All accesses to" : "All of"} {visible(object)}</h3>
      <Operations {...properties} />
      <Accesses {...properties} />
    </section>
  );
}

/** The panel of an object that was asked. */
export function ObjectPanel({ failure, object, go, close }: Omit<Properties, "here"> & { close: () => void }) {
  const threads = [...new Set(failure.steps.filter((step) => isOf(step, object)).map((step) => step.thread))];
  return (
    <aside class="panel" aria-label={`History of ${visible(object)}`}>
      <div class="panel-head">
        <h2>{visible(object)}</h2>
        <button type="button" onClick={close} aria-label="Close">✕</button>
      </div>
      <p class="quiet">Used by {threads.map((thread) => visible(failure.threads[thread]!.thread)).join(", ")}. Its steps are marked ◆.</p>
      <History failure={failure} object={object} go={go} />
    </aside>
  );
}
