// What is known of one step: its values, its place, what it comes after, and what holds at that moment.
import { isShown, type Failure, type Step } from "./document";
import { isLock } from "./lock_times";
import { LockTimeline } from "./lock_timeline";
import { locksAfter, standing } from "./moment";
import type { Order } from "./order";
import { Source } from "./source";
import { StackView } from "./stacks";
import { StepWords } from "./step_words";
import { numberText, visible } from "./visible";
import { waitText } from "./waits";

export function stepText(step: Step): string {
  return visible(
    [step.does, step.object, step.result].filter((part) => part !== undefined && part !== "").join(" "),
  );
}

function StepLink({ step, failure, go }: { step: Step; failure: Failure; go: (step: number) => void }) {
  return (
    <a href={`#step-${step.step}`} onClick={() => go(step.step)}>
      step {step.step}, {visible(failure.threads[step.thread]!.thread)}: {stepText(step)}
    </a>
  );
}

const mostOfObject = 40;

function History({ failure, step, go }: { failure: Failure; step: Step; go: (step: number) => void }) {
  if (step.object === undefined) return null;
  const { object } = step;
  const all = failure.steps.filter((other) => other.object === object || other.takes === object || other.gives === object);
  const at = all.indexOf(step);
  const begin = Math.max(0, Math.min(at - mostOfObject / 2, all.length - mostOfObject));
  const shown = all.slice(begin, begin + mostOfObject);
  return (
    <section>
      <h3>All of {visible(object)}</h3>
      {isLock(failure, object) && <LockTimeline failure={failure} lock={object} here={step.step} go={go} />}
      {shown.length !== all.length && (
        <p class="quiet">
          {numberText(begin + 1)} to {numberText(begin + shown.length)} of {numberText(all.length)} steps
        </p>
      )}
      <ol role="list" class="history">
        {shown.map((other) => (
          <li key={other.step} class={other === step ? "here" : ""}>
            {other === step ? <b>step {other.step}, this one: {stepText(other)}</b> : <StepLink step={other} failure={failure} go={go} />}
            {other.writes === false && <span class="quiet"> reads</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Which store the step reads; if that is not the newest, what it could have read in its place. */
function Reads({ failure, step, go }: { failure: Failure; step: Step; go: (step: number) => void }) {
  const store = step.reads ?? step.behind;
  if (store === undefined) return null;
  const stored = failure.steps[store - 1];
  const link = (number: number) => <StepLink step={failure.steps[number - 1]!} failure={failure} go={go} />;
  const newer = step.newer ?? [];
  return (
    <section class={newer.length === 0 ? "" : "older"}>
      <h3>{step.reads === undefined ? "Where its store comes" : "What it reads"}</h3>
      <p>
        {step.reads === undefined ? "Right behind " : "It reads "}
        {stored === undefined ? "the first value" : <>what was stored by {link(store)}</>}.
      </p>
      {newer.length > 0 && (
        <>
          <p>That is not the newest value. Nothing orders {newer.length === 1 ? "this newer store" : "these newer stores"} before this step:</p>
          <ol role="list">{newer.map((number) => <li key={number}>{link(number)}</li>)}</ol>
          {failure.forbidden_by !== undefined && <p>What would forbid this failure, and was tried: {visible(failure.forbidden_by)}.</p>}
        </>
      )}
    </section>
  );
}

/** All accesses to a variable that the step accesses. */
function Accesses({ failure, step, object, go }: { failure: Failure; step: Step; object: string; go: (step: number) => void }) {
  const all = failure.steps.flatMap((other) =>
    (other.notes ?? []).filter((note) => note.object === object).map((note) => ({ other, note })));
  const at = all.findIndex(({ other }) => other === step);
  const begin = Math.max(0, Math.min(at - mostOfObject / 2, all.length - mostOfObject));
  return (
    <section>
      <h3>All accesses to {visible(object)}</h3>
      {all.length > mostOfObject && (
        <p class="quiet">{numberText(begin + 1)} to {numberText(begin + mostOfObject)} of {numberText(all.length)} accesses</p>
      )}
      <ol role="list" class="history">
        {all.slice(begin, begin + mostOfObject).map(({ other, note }, n) => (
          <li key={n} class={other === step ? "here" : ""}>
            <a href={`#step-${other.step}`} onClick={() => go(other.step)}>
              in step {other.step}, {visible(failure.threads[other.thread]!.thread)}
            </a>{" "}
            {visible(note.note)} <span class="place">{visible(note.at ?? "")}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function StepPanel(props: { failure: Failure; order: Order; step: Step; go: (step: number | undefined) => void }) {
  const { failure, order, step, go } = props;
  const name = (thread: number) => visible(failure.threads[thread]!.thread);
  const counts = { past: 0, future: 0, unordered: 0, itself: 0 };
  if (order.isKnown) for (const other of failure.steps.filter(isShown)) ++counts[order.relation(step.step, other.step)];
  const endOf = (thread: number) => {
    const wait = failure.waits?.find((one) => one.thread === thread);
    if (wait === undefined) return "makes no further step";
    const on = wait.on?.map(name).join(", ");
    return visible(waitText(wait)) + (on === undefined ? "" : wait.for === "end" ? ` of ${on}` : `, held by ${on}`);
  };
  const locks = [...locksAfter(failure, step.step)];
  const others = standing(failure, step.step);
  const stacks = failure.stacks.filter((stack) => {
    const named = /\bin step (\d+)/.exec(stack.stack)?.[1];
    return named !== undefined ? Number(named) === step.step : step.fails !== undefined;
  });
  return (
    <aside class="panel" aria-label={`Step ${step.step}`}>
      <div class="panel-head">
        <h2>Step {numberText(step.step)}, {name(step.thread)}</h2>
        <button type="button" onClick={() => go(undefined)} aria-label="Close">✕</button>
      </div>
      <p class="panel-does">
        <b>{visible(step.does)}</b> {step.object !== undefined && <span class="object">{visible(step.object)}</span>}{" "}
        {step.result !== undefined && <span class="result">{visible(step.result)}</span>}
      </p>
      {step.fails !== undefined && <p class="fails-text">✖ {visible(step.fails)}</p>}
      {step.preempted !== undefined && <p class="cut-text">✂ {name(step.preempted)} is preempted before this step.</p>}
      {failure.why?.filter((one) => one.step === step.step).map((one, n) => (
        <p key={n}><StepWords text={one.text} failure={failure} go={go} /></p>
      ))}
      {step.gives !== undefined && step.gives !== step.object && <p>It gives back <span class="object">{visible(step.gives)}</span>.</p>}
      {step.takes !== undefined && step.takes !== step.object && <p>It takes <span class="object">{visible(step.takes)}</span>.</p>}
      <Reads failure={failure} step={step} go={go} />
      {step.notes?.slice(step.newer === undefined ? 0 : 1).map((note, n) => (
        <p class="note" key={n}>{visible(note.note)} <span class="place">{visible(note.at ?? "")}</span></p>
      ))}
      {Source({ failure, at: step.at }) ?? (step.at !== undefined && <p class="place">{visible(step.at)}</p>)}
      {stacks.map((stack, n) => (
        <StackView failure={failure} stack={stack} key={n} />
      ))}
      <section>
        <h3>Order</h3>
        {order.isKnown ? (
          <ul role="list" class="counts">
            <li>↑ {numberText(counts.past)} before</li>
            <li>↓ {numberText(counts.future)} after</li>
            <li>∥ {numberText(counts.unordered)} in no order</li>
          </ul>
        ) : (
          <p class="quiet">Which steps could come in another order is not known here.</p>
        )}
        {(step.after ?? []).map((number) => (
          <p key={number}>Directly after <StepLink step={failure.steps[number - 1]!} failure={failure} go={go} /></p>
        ))}
      </section>
      <section>
        <h3>At this moment</h3>
        {locks.length === 0 && <p class="quiet">No lock is held.</p>}
        {locks.map(([lock, holders]) => (
          <p key={lock}><span class="object">{visible(lock)}</span> is held by {holders.map(name).join(", ")}</p>
        ))}
        {others.map(({ thread, next, heldBy }) => (
          <p key={thread}>
            {name(thread)}{" "}
            {next === undefined ? (
              endOf(thread)
            ) : (
              <>{heldBy !== undefined ? "waits" : "stands"} before <StepLink step={next} failure={failure} go={go} />{heldBy !== undefined && <>, which {name(heldBy)} holds</>}</>
            )}
          </p>
        ))}
      </section>
      <History failure={failure} step={step} go={go} />
      {[...new Set((step.notes ?? []).flatMap((note) => note.object ?? []))].map((object) => (
        <Accesses failure={failure} step={step} object={object} go={go} key={object} />
      ))}
    </aside>
  );
}
