// The lines of source around a place, as far as they are in the document.
import { Code } from "./code";
import type { Failure } from "./document";
import { visible } from "./visible";

const around = 3;

export function Source({ failure, at }: { failure: Failure; at: string | undefined }) {
  const colon = at?.lastIndexOf(":") ?? -1;
  if (at === undefined || colon < 0) return null;
  const lines = failure.sources?.[at.slice(0, colon)];
  const line = Number(at.slice(colon + 1));
  if (lines === undefined || lines[line] === undefined) return null;
  const numbers = [];
  for (let n = line - around; n <= line + around; ++n) if (lines[n] !== undefined) numbers.push(n);
  return (
    <figure class="source">
      <figcaption>{visible(at)}</figcaption>
      <ol role="list" tabIndex={0}>
        {numbers.map((n) => (
          <li class={n === line ? "here" : ""} key={n}>
            <span class="line-number">{n === line ? `▸ ${n}` : n}</span>
            <Code line={lines[n]!} />
          </li>
        ))}
      </ol>
    </figure>
  );
}
