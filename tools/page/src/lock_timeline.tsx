// A lock's holders and waiters over the steps, a line for each thread.
import { stepAddress } from "./address";
import type { Failure } from "./document";
import { lockTimes, type LockTime } from "./lock_times";
import { numberText, visible } from "./visible";

const mostTold = 30;

export function LockTimeline({ failure, lock, here, go }: { failure: Failure; lock: string; here?: number | undefined; go: (step: number) => void }) {
  const times = lockTimes(failure, lock);
  if (times.length === 0) return null;
  const name = (thread: number) => visible(failure.threads[thread]!.thread);
  const end = failure.steps.length + 1;
  const first = times[0]!.from;
  const last = Math.max(...times.map((time) => time.to ?? end));
  const at = (step: number) => (100 * (step - first)) / Math.max(1, last - first);
  const threads = [...new Set(times.map((time) => time.thread))].sort((a, b) => a - b);
  const link = (step: number) => <a href={stepAddress(step)} onClick={() => go(step)}>step {step}</a>;
  const sentence = (time: LockTime) => (
    <>
      {name(time.thread)} {time.holds ? "holds it" : "waits for it"} from {link(time.from)}{" "}
      {time.to === undefined ? "to the end" : <>to {link(time.to)}</>}
    </>
  );
  const near = times.findIndex((time) => (time.to ?? end) >= (here ?? 0));
  const begin = Math.max(0, Math.min(near - mostTold / 2, times.length - mostTold));
  return (
    <div class="lock">
      <div class="lock-lines" aria-hidden="true">
        {threads.map((thread) => (
          <div class={`lock-line hue-${thread % 8}`} key={thread}>
            <span class="lock-thread">{name(thread)}</span>
            <span class="lock-bars">
              {times.filter((time) => time.thread === thread).map((time) => (
                <i
                  class={time.holds ? "holds" : "waits"}
                  key={`${time.holds} ${time.from}`}
                  style={{ left: `${at(time.from)}%`, width: `${at(time.to ?? last) - at(time.from)}%` }}
                />
              ))}
              {here !== undefined && here >= first && here <= last && <i class="now" style={{ left: `${at(here)}%` }} />}
            </span>
          </div>
        ))}
        <p class="quiet"><i class="holds" /> holds <i class="waits" /> waits{here !== undefined && <> <i class="now" /> this step</>}</p>
      </div>
      {times.length > mostTold && <p class="quiet">{numberText(begin + 1)} to {numberText(begin + mostTold)} of {numberText(times.length)}</p>}
      <ol role="list" class="history">
        {times.slice(begin, begin + mostTold).map((time) => <li key={`${time.thread} ${time.from} ${time.holds}`}>{sentence(time)}</li>)}
      </ol>
    </div>
  );
}
