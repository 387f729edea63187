// Call stacks side by side: the two accesses of a data race, or where each thread of a deadlock waits.
import { Code } from "./code";
import type { Failure, Stack } from "./document";
import { Source } from "./source";
import { visible } from "./visible";

export function StackView({ failure, stack }: { failure: Failure; stack: Stack }) {
  const place = stack.frames.find((frame) => frame.at !== undefined)?.at;
  const source = Source({ failure, at: place });
  return (
    <section class="stack">
      <h3>{visible(stack.stack)}</h3>
      {source ?? (stack.source !== undefined && <pre class="source-line"><Code line={stack.source} /></pre>)}
      <ol role="list" class="frames">
        {stack.frames.map((frame, n) => (
          <li key={n}>
            <span class="function">{visible(frame.function)}</span>{" "}
            {frame.at !== undefined && <span class="place">{visible(frame.at)}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Of a data race, the steps whose accesses have stacks: the one with which the last access is not ordered. */
export function stepsOfStacks(failure: Failure): Set<number> {
  if (failure.failure !== "data race") return new Set();
  return new Set(failure.stacks.flatMap((stack) => (/\bin step (\d+)$/.exec(stack.stack) ?? []).slice(1).map(Number)));
}

export function Stacks({ failure }: { failure: Failure }) {
  if (failure.stacks.length === 0) return null;
  return (
    <section aria-labelledby="stacks">
      <h2 id="stacks">The calls that led there</h2>
      <div class="stacks">
        {failure.stacks.map((stack, n) => (
          <StackView failure={failure} stack={stack} key={n} />
        ))}
      </div>
    </section>
  );
}
