// The states of a small model as nodes and the steps of its processes as edges, with the failing path, and all of it in
// words for those who do not see the drawing.
import { stepAddress } from "./address";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Model, Transition } from "./document";
import { layoutOf, nodeHeight, nodeWidth, type Layout } from "./state_layout";
import { StateView } from "./state_view";
import { numberText, visible } from "./visible";

const mostLabel = 24; // characters
const order = { other: 0, near: 1, taken: 2 }; // what is drawn over what

/** Several steps from one state to another are one edge. */
interface Edge {
  from: number;
  to: number | undefined;
  steps: Transition[];
}

function edgesOf(model: Model): Edge[] {
  const edges = new Map<string, Edge>();
  for (const step of model.transitions ?? []) {
    const key = `${step.from} ${step.to}`;
    const edge = edges.get(key) ?? { from: step.from, to: step.to, steps: [] };
    edge.steps.push(step);
    edges.set(key, edge);
  }
  return [...edges.values()];
}

function stepText({ process, does }: Transition): string {
  return `${process}: ${does}`;
}

function pathOf({ places }: Layout, from: number, to: number | undefined): string {
  const one = places[from]!;
  if (to === undefined) return `M${one.x} ${one.y + nodeHeight / 2}v14`;
  const other = places[to]!;
  if (from === to) {
    const [x, y] = [one.x + nodeWidth / 2, one.y];
    return `M${x} ${y - 5}C${x + 18} ${y - 16} ${x + 18} ${y + 16} ${x + 1} ${y + 5}`;
  }
  if (other.layer === one.layer + 1) {
    const [begin, end] = [one.y + nodeHeight / 2, other.y - nodeHeight / 2 - 1];
    const middle = (begin + end) / 2;
    return `M${one.x} ${begin}C${one.x} ${middle} ${other.x} ${middle} ${other.x} ${end}`;
  }
  // Back up, or along a layer: around the sides.
  const side = other.x >= one.x ? 1 : -1;
  const [x1, x2] = [one.x + (side * nodeWidth) / 2, other.x + (other.layer === one.layer ? -side : side) * (nodeWidth / 2 + 1)];
  const out = other.layer === one.layer ? 0 : side * (18 + 4 * Math.abs(one.layer - other.layer));
  const lift = other.layer === one.layer ? -14 : 0;
  return `M${x1} ${one.y}C${x1 + out} ${one.y + lift} ${x2 + out} ${other.y + lift} ${x2} ${other.y}`;
}

interface Properties {
  model: Model;
  /** The states to which the steps of the failing path lead, without the first one. */
  path: readonly number[];
  /** The state at which the path fails. */
  fails?: number | undefined;
  /** The state after the selected step. */
  selected?: number | undefined;
  /** Selects a step. */
  go?: (step: number) => void;
}

export function StateGraph({ model, path, fails, selected, go }: Properties) {
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const [followed, setFollowed] = useState(selected);
  if (followed !== selected) {
    setFollowed(selected);
    setChosen(undefined);
  }
  const here = chosen ?? selected;
  const layout = useMemo(() => layoutOf(model, path), [model, path]);
  const edges = useMemo(() => edgesOf(model), [model]);
  const processes = [...new Set((model.transitions ?? []).map((step) => step.process))].sort();
  const hue = (edge: Edge) => `hue-${processes.indexOf(edge.steps[0]!.process) % 8}`;
  const taken = new Set(path.map((state, n) => `${n === 0 ? 0 : path[n - 1]} ${state}`));
  const onPath = new Set(path.length === 0 && fails === undefined ? [] : [0, ...path]);
  const kindOf = (edge: Edge): keyof typeof order =>
    taken.has(`${edge.from} ${edge.to}`) || (edge.to === undefined && edge.from === fails)
      ? "taken"
      : here !== undefined && (edge.from === here || edge.to === here) ? "near" : "other";
  const drawn = edges.map((edge) => ({ edge, kind: kindOf(edge) })).sort((one, other) => order[one.kind] - order[other.kind]);
  const isDown = ({ from, to }: Edge) => to === undefined || layout.places[to]!.layer > layout.places[from]!.layer;
  const title = (state: number) => {
    const marks = [state === 0 ? "the first state" : "", state === fails ? "the path fails here" : ""].filter((mark) => mark !== "");
    return `state ${state}${marks.length === 0 ? "" : `, ${marks.join(", ")}`}`;
  };
  const link = (state: number) => (
    <button type="button" class="state-link" onClick={() => setChosen(state)}>state {state}</button>
  );
  // The first state is in sight.
  const drawing = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (drawing.current !== null) drawing.current.scrollLeft = layout.places[0]!.x - drawing.current.clientWidth / 2;
  }, [layout]);
  const led = path.flatMap((state, n) => (state === chosen ? [n + 1] : []));
  return (
    <div class="state-graph">
      <p class="quiet">
        {numberText(model.states.length)} states and {numberText(model.transitions!.length)} steps; each layer is a step further from the first state.
        {path.length > 0 && " The thick line is the path that fails."} A click on a state shows it.
      </p>
      <ul role="list" class="legend" aria-hidden="true">
        {processes.map((process, n) => <li key={process} class={`hue-${n % 8}`}><i /> {visible(process)}</li>)}
      </ul>
      <div class="drawing" role="img" aria-label="The states as a graph; the list below says the same" tabIndex={0} ref={drawing}>
        <svg aria-hidden="true" width={layout.width} height={layout.height}>
          <defs>
            {["taken", "near", "other"].map((kind) => (
              <marker id={`state-${kind}`} class={kind} key={kind} viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto">
                <path d="M0 0L10 5L0 10z" />
              </marker>
            ))}
          </defs>
          {drawn.map(({ edge, kind }) => (
            <g class={`edge ${kind} ${isDown(edge) ? "down" : "up"} ${hue(edge)}`} key={`${edge.from} ${edge.to}`} data-edge={`${edge.from}-${edge.to ?? "error"}`}>
              <title>{visible(edge.steps.map(stepText).join("\n"))}</title>
              <path class="reach" d={pathOf(layout, edge.from, edge.to)} />
              <path d={pathOf(layout, edge.from, edge.to)} marker-end={`url(#state-${kind})`} />
              {edge.to === undefined && <text class="error" x={layout.places[edge.from]!.x - 5} y={layout.places[edge.from]!.y + nodeHeight / 2 + 26}>✖</text>}
            </g>
          ))}
          {drawn.filter(({ edge, kind }) => kind === "taken" && edge.to !== undefined && isDown(edge)).map(({ edge }) => {
            const [one, other] = [layout.places[edge.from]!, layout.places[edge.to!]!];
            const text = visible(edge.steps[0]!.does) + (edge.steps.length > 1 ? ` +${edge.steps.length - 1}` : "");
            return (
              <text class="label" key={`${edge.from} ${edge.to}`} x={(one.x + other.x) / 2 + 5} y={(one.y + other.y) / 2 + 4}>
                {text.length > mostLabel ? text.slice(0, mostLabel - 1) + "…" : text}
              </text>
            );
          })}
          {layout.places.map(({ x, y }, state) => (
            <g
              class={`state ${onPath.has(state) ? "taken" : ""} ${state === fails ? "fails" : ""} ${state === here ? "here" : ""}`}
              key={state}
              data-state={state}
              onClick={() => setChosen(state)}
            >
              <title>{title(state)}</title>
              {state === 0 && <path class="first" d={`M${x} ${y - nodeHeight / 2 - 16}v13`} marker-end="url(#state-other)" />}
              <rect x={x - nodeWidth / 2} y={y - nodeHeight / 2} width={nodeWidth} height={nodeHeight} rx={state === fails ? 0 : 6} />
              <text x={x} y={y + 4}>{state === fails ? `✖${state}` : state}</text>
            </g>
          ))}
        </svg>
      </div>
      <div class="chosen" aria-live="polite">
        {chosen !== undefined && (
          <>
            <h3>State {chosen}{chosen === 0 && ", the first one"}{chosen === fails && ", where the path fails"}</h3>
            <StateView model={model} state={chosen} />
            {led.length > 0 && (
              <p>The path leads here with {led.map((step, n) => <>{n > 0 && ", "}<a href={stepAddress(step)} key={step} onClick={() => go?.(step)}>step {step}</a></>)}.</p>
            )}
            <StepsOf model={model} state={chosen} link={link} />
          </>
        )}
      </div>
      <details>
        <summary>All states in words</summary>
        <ol role="list" class="all-states">
          {model.states.map((parts, state) => (
            <li key={state}>
              {link(state)}{state === 0 && ", the first"}{state === fails && ", where the path fails"}: <span class="parts">{visible(parts.join(", "))}</span>
              {(model.transitions ?? []).filter((step) => step.from === state).map((step, n) => (
                <div key={n} class="quiet">{visible(stepText(step))} {step.to === undefined ? "is an error" : `leads to state ${step.to}`}</div>
              ))}
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}

/** The steps from a state and to it, with links. */
function StepsOf({ model, state, link }: { model: Model; state: number; link: (state: number) => preact.JSX.Element }) {
  const from = model.transitions!.filter((step) => step.from === state);
  const to = model.transitions!.filter((step) => step.to === state);
  return (
    <div class="steps-of">
      <div>
        <h4>Steps from here</h4>
        {from.length === 0 && <p class="quiet">None.</p>}
        <ul role="list">
          {from.map((step, n) => <li key={n}>{visible(stepText(step))} {step.to === undefined ? "is an error" : <>leads to {link(step.to)}</>}</li>)}
        </ul>
      </div>
      <div>
        <h4>Steps that lead here</h4>
        {to.length === 0 && <p class="quiet">None.</p>}
        <ul role="list">{to.map((step, n) => <li key={n}>{link(step.from)}, {visible(stepText(step))}</li>)}</ul>
      </div>
    </div>
  );
}
