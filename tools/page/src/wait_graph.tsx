// The circle of a deadlock, and the other threads that wait, as a drawing, which its words stand beside.
import type { Failure } from "./document";
import { visible } from "./visible";
import { StepLink } from "./step_link";
import { missedBy, nodesOf, waitText } from "./waits";

const [boxHeight, gap, lane, letter] = [28, 40, 16, 7.4];
const line = 18;
const mostName = 60; // characters
const mostNodes = 40;

function shortened(text: string): string {
  return text.length > mostName ? text.slice(0, mostName - 1) + "…" : text;
}

export function WaitGraph({ failure, go }: { failure: Failure; go: (step: number) => void }) {
  const nodes = nodesOf(failure).slice(0, mostNodes);
  if (nodes.length === 0) return null;
  const name = (thread: number) => visible(failure.threads[thread]!.thread);
  const rowOf = new Map(nodes.map((node, n) => [node.thread, n]));
  const missed = nodes.map(({ wait }) => (wait === undefined ? undefined : missedBy(failure, wait)));
  const tops = nodes.map((_, n) => missed.slice(0, n).reduce((sum, one) => sum + boxHeight + gap + (one === undefined ? 0 : line), 0));
  const y = (n: number) => tops[n]!;
  const early = (n: number) => (missed[n] === undefined ? "" : `⚠ step ${missed[n].step}, ${name(missed[n].thread)}: ${missed[n].does} came before`);
  const edges = nodes.flatMap((node, from) =>
    (node.wait?.on ?? []).flatMap((thread) => {
      const to = rowOf.get(thread);
      return to === undefined ? [] : [{ from, to, inCircle: node.inCircle && nodes[to]!.inCircle }];
    }));
  const bent = edges.filter(({ from, to }) => to !== from + 1);
  const left = 8 + lane * bent.length;
  const label = (n: number) => (nodes[n]!.wait === undefined ? "" : shortened(visible(waitText(nodes[n]!.wait!))));
  const width = Math.max(...nodes.map((node, n) => Math.max(name(node.thread).length + 4, label(n).length + 6, early(n).length + 6))) * letter + left + 16;
  return (
    <section aria-labelledby="waits">
      <h3 id="waits">Who waits for whom</h3>
      <div class="wait-graph">
        <div class="drawing" role="img" aria-label="The same as a graph" tabIndex={0}>
          <svg aria-hidden="true" width={width} height={y(nodes.length - 1) + boxHeight + (nodes.at(-1)!.wait === undefined ? 0 : gap - 10) + (missed.at(-1) === undefined ? 0 : line)}>
            <defs>
              {["circle", "other"].map((kind) => (
                <marker id={`wait-${kind}`} class={kind} key={kind} viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="10" orient="auto">
                  <path d="M0 0L10 5L0 10z" />
                </marker>
              ))}
            </defs>
            {nodes.map((node, n) => (
              <g class={node.inCircle ? "circle" : "other"} key={node.thread}>
                <rect x={left} y={y(n) + 1} width={name(node.thread).length * letter + 24} height={boxHeight - 2} rx="6" />
                <text x={left + 12} y={y(n) + 19}>{name(node.thread)}</text>
                <text class="why-waits" x={left + 30} y={y(n) + boxHeight + 24}>{label(n)}</text>
                {missed[n] !== undefined && <text class="too-early" x={left + 30} y={y(n) + boxHeight + 24 + line}>{early(n)}</text>}
              </g>
            ))}
            {edges.map(({ from, to, inCircle }) => {
              const kind = inCircle ? "circle" : "other";
              const n = bent.findIndex((edge) => edge.from === from && edge.to === to);
              const x = left - lane * (n + 1);
              const [begin, end] = [y(from) + boxHeight / 2 + 5, y(to) + boxHeight / 2 - 5];
              return (
                <path
                  class={kind}
                  key={`${from} ${to}`}
                  d={n < 0
                    ? `M${left + 16} ${y(from) + boxHeight}V${y(to)}`
                    : `M${left} ${begin}H${x + 6}Q${x} ${begin} ${x} ${begin < end ? begin + 6 : begin - 6}V${begin < end ? end - 6 : end + 6}Q${x} ${end} ${x + 6} ${end}H${left}`}
                  marker-end={`url(#wait-${kind})`}
                />
              );
            })}
          </svg>
        </div>
        <ul role="list">
          {nodes.map(({ thread, wait, inCircle }, n) => wait !== undefined && (
            <li key={thread}>
              {inCircle && <span title="in the circle">⟳ </span>}
              {name(thread)} {visible(waitText(wait!))}
              {wait!.on !== undefined && (wait!.for === "end" ? ` of ${wait!.on.map(name).join(", ")}` : `, which ${wait!.on.map(name).join(", ")} ${wait!.on.length === 1 ? "holds" : "hold"}`)}
              {missed[n] !== undefined && <>; the last one came before: <StepLink step={missed[n]} failure={failure} go={go} /></>}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
