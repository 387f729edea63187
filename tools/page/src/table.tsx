// The steps with a column for each thread, time downwards. Only the rows in sight exist: a schedule may have 20 000.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isOf, type Asked } from "./address";
import { ArrowLayer } from "./arrow_layer";
import { arrowsOf, rowOfSteps } from "./arrows";
import type { Failure, Step } from "./document";
import type { LifeEdge } from "./lives";
import type { Order } from "./order";
import { threadOf, threadsOf, type Row } from "./rows";
import { stepText } from "./step_link";
import { stepsOfStacks } from "./stacks";
import { placeText, visible } from "./visible";

export const rowHeight = 28;
const batch = 16; // rows that come into being together when one scrolls
const leastColumn = 84; // for the name of a thread; what it does runs on over the columns at its right
const leastLast = 290;
const narrow = 620; // pixels: the places of code are left out, and there is a list
const mostPrinted = 2000;
const mostPlace = 26; // characters
const letter = 8; // pixels
const mark = 40; // pixels, before the number of a step

interface Properties {
  failure: Failure;
  lives: LifeEdge[];
  order: Order;
  rows: Row[];
  asked: Asked;
  go: (step: number) => void;
  open: (first: number) => void;
}

/** The rows [begin, end) that are in the window, with some around; all of them on paper. */
function useRowsInSight(count: number, element: { current: HTMLElement | null }): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, 60]);
  useLayoutEffect(() => {
    let printing = false;
    const look = () => {
      if (printing) return setRange([0, Math.min(count, mostPrinted)]);
      const top = element.current?.getBoundingClientRect().top ?? 0;
      const begin = Math.max(0, Math.min(count, (Math.floor(-top / rowHeight / batch) - 1) * batch));
      const end = Math.min(count, (Math.ceil((window.innerHeight - top) / rowHeight / batch) + 1) * batch);
      setRange((old) => (old[0] === begin && old[1] === end ? old : [begin, Math.max(begin, end)]));
    };
    const print = (begins: boolean) => () => {
      printing = begins;
      look();
    };
    const [before, after] = [print(true), print(false)];
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, [count]);
  return range;
}

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** What the columns hold, which is the same for every row. */
function columnsOf(failure: Failure) {
  const between = failure.between_steps ?? [];
  const threads = threadsOf(failure);
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const step of failure.steps) {
    if (!first.has(step.thread)) first.set(step.thread, step.step);
    last.set(step.thread, step.step);
  }
  for (const { thread, after } of between) {
    if (!first.has(thread)) first.set(thread, Math.max(1, after));
    last.set(thread, Math.max(after, last.get(thread) ?? 1));
  }
  const longest = (texts: (string | undefined)[], most: number) =>
    texts.reduce((length, text) => Math.min(most, Math.max(length, text?.length ?? 0)), 0);
  return {
    threads,
    first,
    last,
    column: new Map(threads.map((thread, n) => [thread, n])),
    places: failure.steps.some((step) => step.at !== undefined),
    placeWidth: longest([...failure.steps, ...between].map((one) => one.at), mostPlace) * letter + 20,
    threadWidth: longest(threads.map((thread) => failure.threads[thread]!.thread), 14) * letter + 24,
    numbers: mark + Math.max(4, String(failure.steps.length).length) * letter,
  };
}

/** How wide the column of each thread is, in pixels: of few they are alike, of more the last one takes what the others do not need. */
function widthsOf(count: number, available: number): number[] | "list" {
  const same = available / count;
  if (count === 1 || same >= leastLast) return Array<number>(count).fill(same);
  const others = (available - leastLast) / (count - 1);
  return others < leastColumn ? "list" : [...Array<number>(count - 1).fill(others), leastLast];
}

/** How far from the left the lines of the threads are: one for each column, or one for all in a list. */
function useLines(element: { current: HTMLElement | null }, width: number, isList: boolean): number[] {
  const [lines, setLines] = useState<number[]>([]);
  useLayoutEffect(() => {
    const cells = element.current?.querySelectorAll<HTMLElement>(isList ? ".head .thread" : ".head .label") ?? [];
    setLines([...cells].map((cell) => cell.offsetLeft + (isList ? 0 : 8)));
  }, [width, isList]);
  return lines;
}

function What({ step, href }: { step: Pick<Step, "does" | "object" | "result">; href: string }) {
  return (
    <a class="what" href={href} tabIndex={-1} title={stepText(step)}>
      <span class="does">{visible(step.does)}</span>
      {step.object !== undefined && <span class="object">{visible(step.object)}</span>}
      {step.result !== undefined && <span class="result">{visible(step.result)}</span>}
    </a>
  );
}

const signs = { past: "↑", future: "↓", itself: "●", unordered: "" };
const said = { past: "before the selected step", future: "after the selected step", itself: "selected", unordered: "" };

export function Table({ failure, lives, order, rows, asked, go, open }: Properties) {
  const selected = asked.step;
  const body = useRef<HTMLDivElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const [begin, end] = useRowsInSight(rows.length, body);
  const width = useWidth(whole);
  const { threads, first, last, column, places, placeWidth, threadWidth, numbers } = useMemo(() => columnsOf(failure), [failure]);
  const arrows = useMemo(() => arrowsOf(failure, lives, selected), [failure, selected]);
  const otherSide = useMemo(() => stepsOfStacks(failure), [failure]);
  const rowOfStep = useMemo(() => rowOfSteps(rows, failure.steps.length), [rows, failure]);
  const widths = width === 0 ? "list" : widthsOf(threads.length, width - numbers - (places ? placeWidth : 0));
  const isList = widths === "list";
  const lines = useLines(whole, width, isList);
  const lineOf = (step: number) => lines[isList ? 0 : column.get(failure.steps[step - 1]!.thread)!] ?? 0;
  const name = (thread: number) => visible(failure.threads[thread]!.thread);
  const hasPlace = places && (!isList || width > narrow);
  const place = hasPlace ? ` ${placeWidth}px` : "";
  const columns = isList
    ? `${width > narrow ? numbers : numbers - 20}px ${Math.min(threadWidth, width > narrow ? threadWidth : 96)}px minmax(0, 1fr)${place}`
    : `${numbers}px ${widths.map((one) => `${one}px`).join(" ")}${place}`;

  const lanes = (row: Row) =>
    threads.map((thread, n) => {
      const at = row.kind === "fold" ? row.first : row.step.step;
      const runs = row.kind !== "fold" && row.kind !== "cut" && threadOf(row) === thread;
      const lives = at >= first.get(thread)! && at <= last.get(thread)!;
      return (
        <span
          key={thread}
          class={`lane hue-${n % 8} ${runs ? "runs" : lives ? "waits" : ""}`}
          style={{ gridColumn: n + 2, gridRow: 1 }}
          aria-hidden="true"
        />
      );
    });

  const rowOf = (row: Row, n: number) => {
    const common = { role: "row" as const, "aria-rowindex": n + 2, key: n, style: { gridTemplateColumns: columns, top: `${n * rowHeight}px` } };
    if (row.kind === "fold") {
      return (
        <div {...common} class="row fold">
          <span role="cell" class="whole">
            <button type="button" onClick={() => open(row.first)}>
              <span aria-hidden="true">⋯ </span>{row.text}<span class="quiet"> · open</span>
            </button>
          </span>
        </div>
      );
    }
    const { step } = row;
    const relation = selected === undefined ? undefined : order.isKnown ? order.relation(selected, step.step) : selected === step.step ? "itself" : undefined;
    const own = column.get(threadOf(row))!;
    const hue = `hue-${own % 8}`;
    const at = isList ? 3 : own + 2;
    if (row.kind === "cut") {
      const left = isList ? 0 : widths.slice(0, own).reduce((sum, one) => sum + one, numbers);
      return (
        <div {...common} class="row cut">
          <span role="cell" class="whole"><span class="cut-label" style={isList ? {} : { marginLeft: `${left}px` }}>✂ {name(row.thread)} is preempted</span></span>
        </div>
      );
    }
    if (row.kind === "fails") {
      const isTold = failure.failure === "data race" && failure.between_steps !== undefined; // by the accesses above
      return (
        <div {...common} class="row fails" onClick={() => go(step.step)}>
          <span role="cell" class="whole" title={visible(row.text)}><b>✖ {isTold ? "FAILS: data race" : visible(row.text)}</b></span>
        </div>
      );
    }
    if (row.kind === "between") {
      return (
        <div {...common} class={`row between ${hue}`} onClick={() => go(step.step)}>
          <span role="cell" class="number" />
          {!isList && lanes(row)}
          {isList && <span role="cell" class={`thread ${hue}`}>{name(row.between.thread)}</span>}
          <span role="cell" class={`cell ${hue}`} style={{ gridColumn: `${at} / ${hasPlace ? -2 : -1}`, gridRow: 1 }}>
            <What step={row.between} href={`#step-${step.step}`} />
          </span>
          {hasPlace && <span role="cell" class="place" style={{ gridColumn: -2, gridRow: 1 }}>{placeText(row.between.at ?? "", mostPlace)}</span>}
        </div>
      );
    }
    const isStep = row.kind === "step";
    return (
      <div
        {...common}
        id={isStep ? `step-${step.step}` : undefined}
        class={`row ${row.kind} ${hue} ${relation ?? ""} ${step.fails !== undefined && isStep ? "failing" : ""} ${otherSide.has(step.step) ? "other-side" : ""}`}
        aria-selected={relation === "itself" ? true : undefined}
        onClick={(event) => {
          event.preventDefault();
          go(step.step);
        }}
      >
        <span role="cell" class="number">
          {asked.object !== undefined && isOf(step, asked.object) && <span class="sign" title="a step of the object">◆</span>}
          {isStep && step.fails !== undefined && <span class="mark-failing" title="fails">✖</span>}
          {isStep && otherSide.has(step.step) && <span class="mark-failing" title="the other access of the race">✖</span>}
          {relation !== undefined && <span class="sign" title={said[relation]}>{signs[relation]}</span>}
          {isStep ? step.step : ""}
        </span>
        {!isList && lanes(row)}
        {isList && <span role="cell" class={`thread ${hue}`}>{isStep && name(step.thread)}</span>}
        <span role="cell" class={`cell ${hue}`} style={{ gridColumn: `${at} / ${hasPlace ? -2 : -1}`, gridRow: 1 }}>
          {isStep ? <What step={step} href={`#step-${step.step}`} /> : <span class="what">{row.kind === "older" && <span aria-hidden="true">↶ </span>}{visible(row.text)}</span>}
        </span>
        {hasPlace && <span role="cell" class="place" style={{ gridColumn: -2, gridRow: 1 }}>{placeText((isStep ? step.at : row.kind === "note" ? row.at : undefined) ?? "", mostPlace)}</span>}
      </div>
    );
  };

  return (
    <div class="table" role="table" aria-label="The steps, time downwards" aria-rowcount={rows.length + 1} ref={whole}>
      <div role="rowgroup" class="head">
        <div role="row" class="row" aria-rowindex={1} style={{ gridTemplateColumns: columns }}>
          <span role="columnheader" class="number">step</span>
          {isList && <span role="columnheader" class="thread">thread</span>}
          {isList && <span role="columnheader">does</span>}
          {!isList && threads.map((thread, n) => <span role="columnheader" class={`hue-${n % 8} label`} key={thread}>{name(thread)}</span>)}
          {hasPlace && <span role="columnheader" class="place">at</span>}
        </div>
      </div>
      <div role="rowgroup" class="body" ref={body} style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(begin, end).map((row, n) => rowOf(row, begin + n))}
        <ArrowLayer arrows={arrows} begin={begin} end={Math.min(end, rows.length)} rowHeight={rowHeight} rowOf={(step) => rowOfStep[step]!} lineOf={lineOf} isList={isList} />
      </div>
    </div>
  );
}
