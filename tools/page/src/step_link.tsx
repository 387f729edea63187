// A step in words, and a link to it.
import { stepAddress } from "./address";
import type { Failure, Step } from "./document";
import { visible } from "./visible";

export function stepText(step: Pick<Step, "does" | "object" | "result">): string {
  return visible(
    [step.does, step.object, step.result].filter((part) => part !== undefined && part !== "").join(" "),
  );
}

export function StepLink({ step, failure, go }: { step: Step; failure: Failure; go: (step: number) => void }) {
  return (
    <a href={stepAddress(step.step)} onClick={() => go(step.step)}>
      step {step.step}, {visible(failure.threads[step.thread]!.thread)}: {stepText(step)}
    </a>
  );
}
