// What --hocket_report writes: the searches of a run.

export interface Bound {
  executions: number;
  classes: number;
  failures: number;
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
  return searches.toSorted((one, other) => rank(one) - rank(other));
}
