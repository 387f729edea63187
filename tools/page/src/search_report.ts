// What --hocket_report writes: the searches of a run.
import type { Model } from "./document";

export interface Bound {
  /** Of a model, its states are counted. */
  executions?: number;
  classes?: number;
  failures?: number;
  states?: number;
  complete: boolean;
}

export interface FoundFailure {
  kind: string;
  message: string;
  where?: string;
  bound?: number;
  bound_unit?: string;
  executions?: number;
  schedule_file?: string;
  /** Its page, if that is in the same folder: hocket report adds it. */
  page?: string;
}

/** The page of a failure: a file beside this one, and nothing else that could stand in an address. */
export function pageOf(failure: FoundFailure): string | undefined {
  return failure.page?.startsWith("./") ? failure.page : undefined;
}

export interface MeetingPlace {
  operation: string;
  where: string;
}

/** Two places at which threads met, and how often in each order. */
export interface Meeting {
  first: MeetingPlace;
  second: MeetingPlace;
  first_before: number;
  second_before: number;
}

export interface Search {
  test: string;
  strategy?: string;
  verdict: string;
  executions?: number;
  classes?: number;
  steps?: number;
  seconds?: number;
  pruned?: number;
  abandoned?: number;
  bound_unit?: string;
  note?: string;
  explanation?: string;
  stopped_by?: string;
  bounds?: Bound[];
  failures?: FoundFailure[];
  meetings?: Meeting[];
  dropped?: number;
  fair?: boolean;
  memory_model?: string;
  most_stale?: number;
  late_timeouts?: string;
  sealed?: string;
  polls_at?: string[];
  weaker_operations?: { operation: string; where: string; order: string }[];
  may_be_more_weaker_operations?: boolean;
  unfinished?: { bound: number; share: number; least_seconds_left: number; most_seconds_left: number };
  /** Of a search through the states of a model. */
  states?: number;
  transitions?: number;
  model?: Model;
}

export interface SearchReport {
  hocket_report: number;
  searches: Search[];
}

export function isOnePlace({ first, second }: Meeting): boolean {
  return first.operation === second.operation && first.where === second.where;
}

/** Whether two places met in one order only. */
export function hasOneOrder(meeting: Meeting): boolean {
  return meeting.second_before === 0 && !isOnePlace(meeting);
}

/** A sign for a verdict, so that it is told by more than a colour. */
export function sign(verdict: string): string {
  if (verdict.startsWith("passed")) return "✔";
  if (verdict === "stopped") return "◌";
  return "✖";
}

export function timeText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

/** Those that did not pass first; otherwise in their order. */
export function inOrder(searches: Search[]): Search[] {
  const rank = (search: Search) => (sign(search.verdict) === "✖" ? 0 : sign(search.verdict) === "◌" ? 1 : 2);
  return [...searches].sort((one, other) => rank(one) - rank(other));
}
