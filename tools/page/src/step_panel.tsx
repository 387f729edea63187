// What is known of one step: its values, its place, what it comes after, and what holds at that moment.
import { isShown, type Failure, type Note, type Step } from "./document";
import { History, ObjectLink } from "./history";
import { locksAfter, standing, type Standing } from "./moment";
import type { Order } from "./order";
import { Source } from "./source";
import { StackView } from "./stacks";
import { StateView } from "./state_view";
import { StepLink } from "./step_link";
import { StepWords } from "./step_words";
import { numberText, visible } from "./visible";
import { waitText } from "./waits";

const mostThreads = 8; // of which the panel tells at once where they stand

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

/** A note, in which the variable is a link. */
function NoteText({ note }: { note: Note }) {
  const at = note.object === undefined ? -1 : note.note.indexOf(note.object);
  if (at < 0) return <>{visible(note.note)}</>;
  return <>{visible(note.note.slice(0, at))}<ObjectLink object={note.object!} />{visible(note.note.slice(at + note.object!.length))}</>;
}

/** The state of a model after the step, with what the step has changed. */
function StateAfter({ failure, step }: { failure: Failure; step: Step }) {
  if (failure.model === undefined || step.leads_to === undefined) return null;
  const before = failure.steps[step.step - 2]?.leads_to ?? 0;
  return (
    <section>
      <h3>The state after it{failure.model.transitions !== undefined && `: state ${step.leads_to}`}</h3>
      <StateView model={failure.model} state={step.leads_to} before={before} changed={step.changed ?? []} />
      {step.changed === undefined && <p class="quiet">The step changes nothing in it.</p>}
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
  const stands = ({ thread, next, heldBy }: Standing) => (
    <p key={thread}>
      {name(thread)}{" "}
      {next === undefined ? (
        endOf(thread)
      ) : (
        <>{heldBy !== undefined ? "waits" : "stands"} before <StepLink step={next} failure={failure} go={go} />{heldBy !== undefined && <>, which {name(heldBy)} holds</>}</>
      )}
    </p>
  );
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
        <b>{visible(step.does)}</b> {step.object !== undefined && (step.leads_to === undefined ? <ObjectLink object={step.object} /> : <span class="object">{visible(step.object)}</span>)}{" "}
        {step.result !== undefined && <span class="result">{visible(step.result)}</span>}
      </p>
      {step.fails !== undefined && <p class="fails-text">✖ {visible(step.fails)}</p>}
      {step.preempted !== undefined && <p class="cut-text">✂ {name(step.preempted)} is preempted before this step.</p>}
      {failure.why?.filter((one) => one.step === step.step).map((one, n) => (
        <p key={n}><StepWords text={one.text} failure={failure} go={go} /></p>
      ))}
      {step.gives !== undefined && step.gives !== step.object && <p>It gives back <ObjectLink object={step.gives} />.</p>}
      {step.takes !== undefined && step.takes !== step.object && <p>It takes <ObjectLink object={step.takes} />.</p>}
      <Reads failure={failure} step={step} go={go} />
      <StateAfter failure={failure} step={step} />
      {step.notes?.slice(step.newer === undefined && step.changed === undefined ? 0 : 1).map((note, n) => (
        <p class="note" key={n}><NoteText note={note} /> <span class="place">{visible(note.at ?? "")}</span></p>
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
        {(step.after ?? []).filter((number) => number !== (step.reads ?? step.behind)).map((number) => (
          <p key={number}>Directly after <StepLink step={failure.steps[number - 1]!} failure={failure} go={go} /></p>
        ))}
      </section>
      {step.leads_to === undefined && <section>
        <h3>At this moment</h3>
        {locks.length === 0 && <p class="quiet">No lock is held.</p>}
        {locks.map(([lock, holders]) => (
          <p key={lock}><ObjectLink object={lock} /> is held by {holders.map(name).join(", ")}</p>
        ))}
        {others.slice(0, mostThreads).map(stands)}
        {others.length > mostThreads && (
          <details>
            <summary>{others.length - mostThreads} more threads</summary>
            {others.slice(mostThreads).map(stands)}
          </details>
        )}
      </section>}
      {step.leads_to === undefined && step.object !== undefined && <History failure={failure} object={step.object} here={step} go={go} />}
      {[...new Set((step.notes ?? []).flatMap((note) => note.object ?? []))].filter((object) => object !== step.object).map((object) => (
        <History failure={failure} object={object} here={step} go={go} key={object} />
      ))}
    </aside>
  );
}
