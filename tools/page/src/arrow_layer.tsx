// Draws the arrows that are in sight over the rows. They say nothing that is not in the text of a row or a panel.
import type { Arrow } from "./arrows";

const head = 6;

interface Properties {
  arrows: Arrow[];
  /** The rows that exist are [begin, end). */
  begin: number;
  end: number;
  rowHeight: number;
  rowOf: (step: number) => number;
  /** Where the line of a step's thread is, from the left. */
  lineOf: (step: number) => number;
  /** All threads have the same line. */
  isList: boolean;
}

/** Between columns the lines keep to those of the threads and to the borders of rows, where there is no text. */
function pathOf({ from, to, x1, x2 }: { from: number; to: number; x1: number; x2: number }, rowHeight: number, isList: boolean): string {
  const end = to - 1;
  if (isList) {
    const out = x1 - Math.min(30, 12 + (to - from) / 28);
    return `M${x1} ${from}C${out} ${from} ${out} ${end} ${x2 - head} ${end}`;
  }
  if (x1 === x2) return `M${x1} ${from}L${x2} ${end - head}`;
  const side = x1 < x2 ? 1 : -1;
  const border = to - rowHeight / 2;
  const bend = 6;
  return (
    `M${x1} ${from}V${border - bend}Q${x1} ${border} ${x1 + side * bend} ${border}` +
    `H${x2 - side * bend}Q${x2} ${border} ${x2} ${border + bend}V${end - head}`
  );
}

export function ArrowLayer({ arrows, begin, end, rowHeight, rowOf, lineOf, isList }: Properties) {
  const top = begin * rowHeight;
  const shown = arrows.flatMap((arrow) => {
    const isLife = arrow.kind === "made" || arrow.kind === "joined";
    if (isList && isLife) return []; // there would be one over the other
    const to = rowOf(arrow.to);
    const from = arrow.from === 0 ? -0.35 : rowOf(arrow.from);
    if (to < 0 || from === to || Math.max(from, to) < begin || Math.min(from, to) >= end) return [];
    const y = (row: number) => (row + 0.5) * rowHeight - top;
    const x2 = lineOf(arrow.to);
    return [{ arrow, from: y(from), to: y(to), x1: arrow.from === 0 ? x2 : lineOf(arrow.from), x2 }];
  });
  if (shown.length === 0) return null;
  return (
    <svg class="arrows" aria-hidden="true" style={{ top: `${top}px`, height: `${(end - begin) * rowHeight}px` }}>
      <defs>
        {["older", "before", "made", "joined"].map((kind) => (
          <marker id={`head-${kind}`} class={kind} key={kind} viewBox="0 0 10 10" refX="1" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto">
            <path d="M0 0L10 5L0 10z" />
          </marker>
        ))}
      </defs>
      {shown.map((one) => (
        <g class={one.arrow.kind} key={`${one.arrow.kind} ${one.arrow.from} ${one.arrow.to}`} data-arrow={`${one.arrow.from}-${one.arrow.to}`}>
          <circle cx={one.x1} cy={one.from} r="3.5" />
          <path d={pathOf(one, rowHeight, isList)} marker-end={`url(#head-${one.arrow.kind})`} />
        </g>
      ))}
    </svg>
  );
}
