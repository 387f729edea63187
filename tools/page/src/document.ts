// The document that the page shows: docs/failure-document.schema.json. It stands in the page as JSON, a long one
// compressed. Or what --hocket_report writes stands there.
import type { SearchReport } from "./search_report";

export interface Frame {
  function: string;
  at?: string;
}

export interface Stack {
  stack: string;
  source?: string;
  frames: Frame[];
}

export interface Note {
  note: string;
  at?: string;
  /** "read" or "write", of the variable `object`. */
  access?: string;
  object?: string;
}

export interface Step {
  step: number;
  thread: number;
  preempted?: number;
  does: string;
  /** So many steps of the thread begin here, of which the file has only the order. */
  left_out?: number;
  object?: string;
  result?: string;
  at?: string;
  price?: number;
  fails?: string;
  notes?: Note[];
  /** The step that this choice of a store belongs to. */
  for?: number;
  order?: string;
  /** The step that has stored what this one reads, or after which its store comes; 0 for the first value. */
  reads?: number;
  behind?: number;
  /** The steps with newer stores, if that is not the newest. */
  newer?: number[];
  writes?: boolean;
  after?: number[];
  takes?: string;
  gives?: string;
  /** Of a step of a model: the state after it, and the parts of the state that it changes. */
  leads_to?: number;
  changed?: number[];
}

/** A step that a process of a model can take. */
export interface Transition {
  from: number;
  process: string;
  does: string;
  /** None: the step is an error. */
  to?: number;
}

export interface Model {
  /** What the parts of a state are called. */
  members?: string[];
  /** Each as text, in parts; the first one is where paths begin. */
  states: string[][];
  /** All steps, unless there are too many states. */
  transitions?: Transition[];
}

export interface Thread {
  thread: string;
  creator?: number;
  made_at?: string;
  /** So many steps had been made when it was created. */
  made_after?: number;
  joiner?: number;
  joined_after?: number;
}

/** What a thread waits for when the test cannot continue. */
export interface Wait {
  thread: number;
  for: string;
  object?: string;
  on?: number[];
}

/** The access of a data race, or what a thread of a deadlock waits for: no step, but it has a row. */
export interface Between {
  /** The step before it; 0 if there is none. */
  after: number;
  thread: number;
  does: string;
  object?: string;
  at?: string;
}

export interface Failure {
  hocket_failure: number;
  test: string;
  failure: string;
  headline: string[];
  where?: string;
  origin: string;
  words: string[];
  why?: { step: number; text: string }[];
  forbidden_by?: string;
  replay: string;
  binary?: string;
  preemptions: number;
  complete: boolean;
  stacks: Stack[];
  threads: Thread[];
  waits?: Wait[];
  fails_at?: number;
  model?: Model;
  shown: [number, number][];
  steps: Step[];
  between_steps?: Between[];
  /** For each file, lines by their number. */
  sources?: Record<string, Record<string, string>>;
}

/** Whether the step has a row: what a choice of a store says is told with the step that it belongs to. */
export function isShown(step: Step): boolean {
  return step.for === undefined || step.fails !== undefined;
}

/** The document with an entry for each step, also where one stands for many. */
export function withEachStep<Document extends object>(document: Document): Document {
  if (!("steps" in document) || !Array.isArray(document.steps)) return document;
  const each = ({ left_out, ...step }: Step): Step[] =>
    left_out === undefined ? [step] : Array.from({ length: left_out }, (_, n) => ({ ...step, step: step.step + n }));
  return { ...document, steps: (document.steps as Step[]).flatMap(each) };
}

/** The document in the element, in which it stands as JSON, or as base64 of compressed JSON. */
export async function readDocument(element: HTMLElement): Promise<Failure | SearchReport> {
  const text = element.textContent ?? "";
  if (element.dataset["encoding"] !== "deflate") return withEachStep(JSON.parse(text) as Failure | SearchReport);
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const json = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return withEachStep((await new Response(json).json()) as Failure | SearchReport);
}
