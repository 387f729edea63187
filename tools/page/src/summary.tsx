// What failed, why, when, and how to see it again: the head of the page, and what stands beside the steps until one is selected.
import { useRef, useState } from "preact/hooks";
import { Code } from "./code";
import type { Failure } from "./document";
import { StepWords } from "./step_words";
import { visible } from "./visible";
import { WaitGraph } from "./wait_graph";

const mostPlaces = 4;

function Replay({ command }: { command: string }) {
  const [copied, setCopied] = useState(false);
  const text = useRef<HTMLPreElement>(null);
  const copy = () => {
    // Browsers may deny it to a page from a disk: then the command is selected.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const select = () => getSelection()?.selectAllChildren(text.current!);
    if (clipboard === undefined) select();
    else clipboard.writeText(command).then(() => setCopied(true), select);
  };
  return (
    <div class="replay">
      <pre ref={text} tabIndex={0} aria-label="The command that replays this schedule">{visible(command)}</pre>
      <button type="button" onClick={copy}>{copied ? "Copied" : "Copy"}</button>
    </div>
  );
}

/** The first sentence of what failed, and the lines after it: those of a test framework as it has laid them out. */
function parts(failure: Failure) {
  const [sentence = failure.failure, ...more] = failure.headline;
  const place = `  at ${failure.where ?? ""}`;
  const reasons = more.at(-1) === place ? more.slice(0, -1) : more;
  return { sentence, reasons, isLaidOut: failure.failure === "assertion" && reasons.length > 0 };
}

export function Head({ failure, go }: { failure: Failure; go: (step: number) => void }) {
  const { sentence } = parts(failure);
  return (
    <>
      <h1>{visible(failure.test)}</h1>
      <p class="sentence">
        <span class="mark" aria-hidden="true">✖</span>{" "}
        <span>
          <StepWords text={sentence} failure={failure} go={go} />
          {failure.where !== undefined && !sentence.includes(failure.where) && <span class="at"> {visible(failure.where)}</span>}
        </span>
      </p>
    </>
  );
}

/** The lines of source that the call stacks lead to. */
function Places({ failure }: { failure: Failure }) {
  const places = failure.stacks.filter((stack) => stack.source !== undefined).slice(0, mostPlaces);
  if (places.length === 0) return null;
  return (
    <ul role="list" class="places">
      {places.map((stack, n) => (
        <li key={n}>
          <p>{visible(stack.stack)} <span class="place">{visible(stack.frames.find((frame) => frame.at !== undefined)?.at ?? "")}</span></p>
          <pre class="source-line" tabIndex={0}><Code line={stack.source!} /></pre>
        </li>
      ))}
    </ul>
  );
}

/** The schedule in words; after each preemption its line of source, and what happens without it. */
function told(failure: Failure): { text: string; kind: "code" | "why" | "" }[] {
  const why = [...(failure.why ?? [])];
  const lines: ReturnType<typeof told> = [];
  const tellWhy = (until: number) => {
    while (why[0] !== undefined && why[0].step <= until) lines.push({ text: why.shift()!.text, kind: "why" });
  };
  for (const line of failure.words) {
    const after = / is preempted after step (\d+)/.exec(line)?.[1];
    if (after !== undefined) tellWhy(Number(after));
    const isSource = line.startsWith("      ");
    lines.push({ text: isSource ? line.trim() : line, kind: isSource ? "code" : "" });
  }
  tellWhy(Infinity);
  return lines;
}

export function About({ failure, go }: { failure: Failure; go: (step: number) => void }) {
  const part = (text: string) => <StepWords text={text} failure={failure} go={go} />;
  const { reasons, isLaidOut } = parts(failure);
  return (
    <aside class="about" aria-labelledby="about" tabIndex={0}>
      <h2 id="about">What happened</h2>
      {isLaidOut && <pre class="message" tabIndex={0}>{reasons.map((line) => visible(line.slice(2))).join("\n")}</pre>}
      <Places failure={failure} />
      {!isLaidOut && reasons.length > 0 && (
        <ul role="list" class="reasons">
          {reasons.map((line, n) => (
            <li key={n} class={line.startsWith("    ") ? "inner" : ""}>{part(line.trim())}</li>
          ))}
        </ul>
      )}
      {failure.words.length > 0 && (
        <div class="words">
          {told(failure).map(({ text, kind }, n) => <p key={n} class={kind}>{kind === "code" ? <Code line={text} /> : part(text)}</p>)}
        </div>
      )}
      <WaitGraph failure={failure} go={go} />
      <section aria-labelledby="again">
        <h3 id="again">See it again</h3>
        <Replay command={failure.replay} />
      </section>
      <p class="origin">
        {visible(failure.origin)}
        {failure.binary !== undefined && <> Written by {visible(failure.binary)}.</>}
        {failure.sources === undefined && failure.stacks.length !== 0 && (
          <> More lines of the sources are in a page that is made with <code>--binary PROGRAM</code> or <code>--sources FOLDER</code>.</>
        )}
      </p>
    </aside>
  );
}
