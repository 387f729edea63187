// The states of a model: the first one, and the graph of all if there are few.
import { useMemo } from "preact/hooks";
import type { Failure } from "./document";
import { StateGraph } from "./state_graph";
import { StateView } from "./state_view";

export function States({ failure, selected, go }: { failure: Failure; selected: number | undefined; go: (step: number) => void }) {
  const { model, steps } = failure;
  const path = useMemo(() => steps.flatMap((step) => step.leads_to ?? []), [steps]);
  if (model === undefined) return null;
  return (
    <section aria-labelledby="states">
      <h2 id="states">The states</h2>
      {model.transitions === undefined ? (
        <>
          <p>At first:</p>
          <StateView model={model} state={0} />
          <p class="quiet">The model has too many states to draw all of them. A click on a step shows the state after it.</p>
        </>
      ) : (
        <StateGraph model={model} path={path} fails={path.at(-1) ?? 0} selected={selected === undefined ? undefined : steps[selected - 1]?.leads_to} go={go} />
      )}
    </section>
  );
}
