// What else a verdict depends on: what was priced, left out, not seen or assumed, in the words of docs/what-a-pass-means.md.
import { timeText, type Search } from "./search_report";
import { numberText } from "./visible";

const mostNamed = 20;

/** Sentences, none of which a search has of which nothing is to be said. */
export function reservationsOf(search: Search): string[] {
  const sentences: string[] = [];
  if (search.polls_at !== undefined) {
    const places = search.polls_at.length === 0 ? "" : ` (yield at ${search.polls_at.join(", ")})`;
    sentences.push(`Priced: rounds of polling counted like preemptions${places}.`);
  }
  if (search.fair === true) sentences.push("Priced: steps of threads that have yielded and keep others waiting, because the search was fair.");
  if (search.most_stale !== undefined)
    sentences.push(`Left out: executions with more than ${numberText(search.most_stale)} ${search.most_stale === 1 ? "read of an older value" : "reads of older values"}.`);
  if (search.late_timeouts !== undefined && search.late_timeouts !== "")
    sentences.push(`Left out: ${search.late_timeouts} ended only where no thread could go on.`);
  if (search.sealed !== undefined) sentences.push(`Left out: preemptions ${search.sealed}.`);
  if (search.dropped !== undefined && search.dropped > 0)
    sentences.push(`Left out: ${numberText(search.dropped)} ${search.dropped === 1 ? "execution" : "executions"} that assume() dropped.`);
  if (search.memory_model === "c11") sentences.push("Not seen: executions in which a value is read before it is stored (load buffering), which C++ allows, too.");
  const weaker = search.weaker_operations ?? [];
  if (weaker.length > 0) {
    const named = weaker.slice(0, mostNamed).map(({ operation, where, order }) => `${operation} at ${where} (${order})`);
    const more = weaker.length > mostNamed ? ` and ${numberText(weaker.length - mostNamed)} more` : "";
    const least = search.may_be_more_weaker_operations === true ? "at least " : "";
    sentences.push(`Not seen: what weaker orders than seq_cst allow ${least}${numberText(weaker.length)} ${weaker.length === 1 ? "operation" : "operations"}: ${named.join(", ")}${more}.`);
  }
  if (search.unfinished !== undefined) {
    const { bound, share, least_seconds_left: least, most_seconds_left: most } = search.unfinished;
    sentences.push(`Not run: the rest of bound ${bound}, of which about ${Math.round(100 * share)} % was. It would take ${timeText(least)} to ${timeText(most)} more.`);
  }
  return sentences;
}
