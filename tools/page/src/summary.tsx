// The first screen: what failed, why, when, and how to see it again.
import { useRef, useState } from "preact/hooks";
import { Code } from "./code";
import type { Failure } from "./document";
import { StepWords } from "./step_words";
import { visible } from "./visible";

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

function Words({ failure, go }: { failure: Failure; go: (step: number) => void }) {
  const part = (text: string) => <StepWords text={text} failure={failure} go={go} />;
  const [sentence, ...more] = failure.headline;
  return (
    <>
      <p class="sentence">
        <span class="mark" aria-hidden="true">✖</span> <span>{part(sentence ?? failure.failure)}</span>
      </p>
      {more.length > 0 && (
        <ul role="list" class="reasons">
          {more.map((line, n) => (
            <li key={n} class={line.startsWith("    ") ? "inner" : ""}>{part(line.trim())}</li>
          ))}
        </ul>
      )}
      {failure.words.length > 0 && (
        <div class="words">
          {failure.words.map((line, n) => (
            // A line of source, which begins with blanks, stands below the step after which a thread is preempted.
            <p key={n}>{line.startsWith("      ") ? <Code line={line.trim()} /> : part(line)}</p>
          ))}
        </div>
      )}
      {failure.why !== undefined && (
        <ul class="why">
          {failure.why.map((one, n) => (
            <li key={n}>{part(one.text)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

export function Summary({ failure, go }: { failure: Failure; go: (step: number) => void }) {
  return (
    <header>
      <p class="brand">Hocket · {visible(failure.failure)}</p>
      <h1>{visible(failure.test)}</h1>
      <Words failure={failure} go={go} />
      <Replay command={failure.replay} />
      <p class="origin">
        {visible(failure.origin)}
        {failure.binary !== undefined && <> Written by {visible(failure.binary)}.</>}
      </p>
    </header>
  );
}
