// Text in which each step that it names is a link to the step.
import { stepAddress } from "./address";
import type { Failure } from "./document";
import { visible } from "./visible";

export function StepWords({ text, failure, go }: { text: string; failure: Failure; go: (step: number) => void }) {
  return (
    <>
      {visible(text)
        .split(/(\bstep \d+)/)
        .map((piece, n) => {
          const number = /^step (\d+)$/.exec(piece)?.[1];
          if (number === undefined || Number(number) < 1 || Number(number) > failure.steps.length) return piece;
          return (
            <a href={stepAddress(Number(number))} key={n} onClick={() => go(Number(number))}>
              {piece}
            </a>
          );
        })}
    </>
  );
}
