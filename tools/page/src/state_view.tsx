// A state of a model, part by part; after a step, with what the step changed.
import type { Model } from "./document";
import { visible } from "./visible";

interface Properties {
  model: Model;
  state: number;
  /** The state before the step that leads there, and the parts that the step changed. */
  before?: number;
  changed?: readonly number[];
}

export function StateView({ model, state, before, changed = [] }: Properties) {
  const parts = model.states[state]!;
  const old = before === undefined ? undefined : model.states[before]!;
  const isComparable = old?.length === parts.length;
  const name = (n: number) => (model.members?.length === parts.length ? visible(model.members[n]!) : undefined);
  return (
    <table class="state-view">
      <tbody>
        {parts.map((part, n) => {
          const hasChanged = changed.includes(n);
          return (
            <tr key={n} class={hasChanged ? "changed" : ""}>
              {name(n) !== undefined && <th scope="row">{name(n)}</th>}
              <td>
                {hasChanged && <span class="mark" title="changed">● </span>}
                {hasChanged && isComparable && <><del>{visible(old![n]!)}</del> → </>}
                <span class="value">{visible(part)}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
