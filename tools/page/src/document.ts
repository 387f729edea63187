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

export interface Step {
  step: number;
  thread: number;
  preempted?: number;
  does: string;
  object?: string;
  result?: string;
  at?: string;
  price?: number;
  fails?: string;
  notes?: { note: string; at?: string }[];
  writes?: boolean;
  after?: number[];
  takes?: string;
  gives?: string;
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
  replay: string;
  binary?: string;
  preemptions: number;
  complete: boolean;
  stacks: Stack[];
  threads: { thread: string }[];
  fails_at?: number;
  shown: [number, number][];
  steps: Step[];
  /** For each file, lines by their number. */
  sources?: Record<string, Record<string, string>>;
}

/** The document in the element, in which it stands as JSON, or as base64 of compressed JSON. */
export async function readDocument(element: HTMLElement): Promise<Failure | SearchReport> {
  const text = element.textContent ?? "";
  if (element.dataset["encoding"] !== "deflate") return JSON.parse(text) as Failure | SearchReport;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const json = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return (await new Response(json).json()) as Failure | SearchReport;
}
