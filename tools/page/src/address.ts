// What the address of the page names: a step, or an object. A link to it can be sent.
import type { Failure } from "./document";

export interface Asked {
  /** The number of a step. */
  step?: number | undefined;
  /** An object of steps, or a variable that they access. */
  object?: string | undefined;
}

export function objectsOf(failure: Failure): Set<string> {
  const objects = new Set<string>();
  for (const step of failure.steps) {
    for (const name of [step.object, step.takes, step.gives]) if (name !== undefined) objects.add(name);
    for (const note of step.notes ?? []) if (note.object !== undefined) objects.add(note.object);
  }
  return objects;
}

/** The whole address: the row of a step that is far away is not in the page, where a link with "#" alone would lead. */
export function stepAddress(step: number): string {
  return `${location.href.replace(/#.*$/, "")}#step-${step}`;
}

export function objectAddress(object: string): string {
  return `#object-${encodeURIComponent(object)}`;
}

/** Nothing if the document has no such step or object. */
export function askedIn(hash: string, failure: Failure): Asked {
  const number = Number(/^#step-(\d+)$/.exec(hash)?.[1] ?? 0);
  if (number >= 1 && number <= failure.steps.length) return { step: number };
  if (!hash.startsWith("#object-")) return {};
  try {
    const object = decodeURIComponent(hash.slice("#object-".length));
    return objectsOf(failure).has(object) ? { object } : {};
  } catch {
    return {}; // "%" and no number
  }
}

/** Whether the step is one of the object's: its operation, a lock that it takes or gives back, or an access to a variable. */
export function isOf(step: Failure["steps"][number], object: string): boolean {
  return (
    step.object === object || step.takes === object || step.gives === object ||
    (step.notes ?? []).some((note) => note.object === object)
  );
}
