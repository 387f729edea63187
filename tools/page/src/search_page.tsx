// The page of the searches of a run: what each covered, and what failed.
import { Meetings } from "./meetings";
import { reservationsOf } from "./reservations";
import { inOrder, pageOf, sign, timeText, type Bound, type Search, type SearchReport } from "./search_report";
import { StateGraph } from "./state_graph";
import { numberText, visible } from "./visible";

/** A bar for each bound, as long as it had executions, or new states of a model. */
function Bounds({ bounds, unit }: { bounds: Bound[]; unit: string }) {
  const length = (bound: Bound) => bound.executions ?? bound.states ?? 0;
  const most = Math.max(1, ...bounds.map(length));
  const all: [string, (bound: Bound) => number | undefined][] = [
    ["executions", (bound) => bound.executions],
    ["classes", (bound) => bound.classes],
    ["failed", (bound) => bound.failures],
    ["new states", (bound) => bound.states],
  ];
  const counts = all.filter(([, count]) => bounds.some((bound) => count(bound) !== undefined));
  return (
    <table class="bounds">
      <thead>
        <tr><th scope="col">{visible(unit.split(" or ").map((one) => `${one}s`).join(" or "))}</th>{counts.map(([name]) => <th scope="col" key={name}>{name}</th>)}<td></td></tr>
      </thead>
      <tbody>
        {bounds.map((bound, n) => (
          <tr key={n}>
            <th scope="row">{n}</th>
            {counts.map(([name, count]) => <td key={name}>{numberText(count(bound) ?? 0)}</td>)}
            <td class="bar">
              <span style={{ width: `${(100 * length(bound)) / most}%` }} />
              {!bound.complete && <em>not all</em>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SearchView({ search }: { search: Search }) {
  const counted = (count: number | undefined, one: string, many: string) =>
    count !== undefined && count !== 0 && `${numberText(count)} ${count === 1 ? one : many}`;
  const facts = [
    counted(search.executions, "execution", "executions"),
    counted(search.classes, "class", "classes"),
    counted(search.pruned, "pruned", "pruned"),
    counted(search.abandoned, "abandoned", "abandoned"),
    counted(search.steps, "step", "steps"),
    counted(search.states, "state", "states"),
    counted(search.transitions, "step explored", "steps explored"),
    search.seconds !== undefined && timeText(search.seconds),
    search.strategy !== undefined && `strategy ${search.strategy}`,
    search.stopped_by !== undefined && `stopped by ${search.stopped_by}`,
  ].filter((fact) => fact !== false);
  const kind = { "✔": "passed", "◌": "stopped", "✖": "failed" }[sign(search.verdict)]!;
  return (
    <section class={`search ${kind}`}>
      <h2><span aria-hidden="true">{sign(search.verdict)}</span> {visible(search.test)}</h2>
      <p><b class="verdict">{visible(search.verdict)}</b> <span class="quiet">{visible(facts.join(" · "))}</span></p>
      {[search.note, search.explanation].map((text, n) => text !== undefined && text !== "" && <p key={n}>{visible(text)}</p>)}
      {reservationsOf(search).length > 0 && (
        <ul class="reservations">{reservationsOf(search).map((sentence, n) => <li key={n}>{visible(sentence)}</li>)}</ul>
      )}
      {search.bounds !== undefined && search.bounds.length > 0 && <Bounds bounds={search.bounds} unit={search.bound_unit ?? "preemption"} />}
      {search.model?.transitions !== undefined && (
        <details>
          <summary>The states</summary>
          <StateGraph model={search.model} path={[]} />
        </details>
      )}
      {search.meetings !== undefined && search.meetings.length > 0 && <Meetings meetings={search.meetings} />}
      {search.failures?.map((failure, n) => {
        const [sentence, ...more] = failure.message.split("\n");
        return (
          <div class="found" key={n}>
            <p class="fails-text">✖ {pageOf(failure) === undefined ? visible(sentence!) : <a href={pageOf(failure)}>{visible(sentence!)}</a>}</p>
            {more.map((line, m) => <p key={m} class="quiet">{visible(line.trim())}</p>)}
            {failure.where !== undefined && <p class="place">at {visible(failure.where)}</p>}
            {pageOf(failure) === undefined && failure.schedule_file !== undefined && failure.schedule_file !== "" && <p class="place">hocket report {visible(failure.schedule_file)} -o failure.html</p>}
          </div>
        );
      })}
    </section>
  );
}

export function SearchPage({ report }: { report: SearchReport }) {
  const { searches } = report;
  const count = (wanted: string) => searches.filter((search) => sign(search.verdict) === wanted).length;
  return (
    <div class="layout searches">
      <main>
        <p class="brand">Hocket · searches</p>
        <h1>{count("✖")} of {searches.length} failed, {count("◌")} stopped, {count("✔")} passed</h1>
        {inOrder(searches).map((search, n) => <SearchView search={search} key={n} />)}
      </main>
    </div>
  );
}
