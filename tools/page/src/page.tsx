// The page of a failure. The step that is selected stands in the address, so that a link to it can be sent.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { askedIn } from "./address";
import type { Failure } from "./document";
import { ObjectPanel } from "./history";
import { KeyList, target } from "./keys";
import { lifeEdges } from "./lives";
import { Order } from "./order";
import { Overview } from "./overview";
import { foldsOf, rowsOf, runsOf } from "./rows";
import { Stacks } from "./stacks";
import { States } from "./states";
import { StepPanel } from "./step_panel";
import { About, Head } from "./summary";
import { Table, rowHeight } from "./table";

export function Page({ failure }: { failure: Failure }) {
  const [asked, setAsked] = useState(() => askedIn(location.hash, failure));
  const selected = asked.step;
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [showsKeys, setShowsKeys] = useState(false);
  const wasShown = useRef(false);
  const lives = useMemo(() => lifeEdges(failure), [failure]);
  const order = useMemo(() => new Order(failure.steps, failure.threads.length, lives), [failure]);
  const folds = useMemo(() => [...foldsOf(failure), ...runsOf(failure)], [failure]);
  // The folds around the selected step are open.
  const around = folds.filter(([first, last]) => selected !== undefined && first <= selected && selected <= last && !opened.has(first));
  if (around.length !== 0) setOpened(new Set([...opened, ...around.map(([first]) => first)]));
  const rows = useMemo(() => rowsOf(failure, opened), [failure, opened]);

  const go = (step: number | undefined) => {
    setAsked({ step });
    history.replaceState(null, "", step === undefined ? location.pathname + location.search : `#step-${step}`);
  };

  useEffect(() => {
    const follow = () => setAsked(askedIn(location.hash, failure));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [failure]);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") {
        setShowsKeys(false);
        go(undefined);
      } else if (event.key === "?") {
        setShowsKeys((shows) => !shows);
      } else if (event.key === "e") {
        setOpened((old) => (old.size === folds.length ? new Set() : new Set(folds.map(([first]) => first))));
      } else {
        const step = target(failure, asked, event.key);
        if (step === undefined) return;
        event.preventDefault();
        go(step);
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [failure, asked, folds]);

  // The table's heads stay below the head of the page, where that stays.
  const head = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => document.documentElement.style.setProperty("--head", `${head.current!.offsetHeight}px`));
    observer.observe(head.current!);
    return () => observer.disconnect();
  }, []);

  // The selected step comes into sight; at first the one that fails, where the steps begin on the first screen.
  useLayoutEffect(() => {
    const isNarrow = matchMedia("(max-width: 1000px)").matches;
    const wanted = selected ?? (isNarrow || asked.object !== undefined || wasShown.current ? undefined : failure.fails_at);
    wasShown.current = true;
    const body = document.querySelector<HTMLElement>(".body");
    const n = rows.findIndex((row) => row.kind === "step" && row.step.step === wanted);
    if (body === null || n < 0) return;
    const top = body.getBoundingClientRect().top + n * rowHeight;
    const begin = isNarrow ? 0 : head.current!.offsetHeight;
    const end = isNarrow ? window.innerHeight * 0.5 : window.innerHeight;
    const [above, below] = selected === undefined ? [2, 4] : [4, 2]; // rows
    if (top >= begin + above * rowHeight && top <= end - below * rowHeight) return;
    window.scrollBy({ top: top - (selected === undefined ? end - below * rowHeight : (begin + end) / 2) });
  }, [selected, rows]);

  const step = selected === undefined ? undefined : failure.steps[selected - 1];
  const hasPanel = step !== undefined || asked.object !== undefined;
  return (
    <div class={hasPanel ? "layout with-panel" : "layout"}>
      <main>
        <header ref={head}>
          <Head failure={failure} go={go} />
          <Overview failure={failure} selected={selected} go={go} />
        </header>
        <section aria-labelledby="steps" class="steps">
          <div class="steps-head">
            <h2 id="steps">The steps</h2>
            <button type="button" onClick={() => setShowsKeys(!showsKeys)}>Keys <kbd>?</kbd></button>
          </div>
          {failure.steps.length === 0 ? (
            <p>{failure.complete ? "It fails before the first step." : "The process died before it could record its steps; a replay will complete the file."}</p>
          ) : (
            <Table failure={failure} lives={lives} order={order} rows={rows} asked={asked} go={go} open={(first) => setOpened(new Set([...opened, first]))} />
          )}
        </section>
        <States failure={failure} selected={selected} go={go} />
        <Stacks failure={failure} />
      </main>
      {!hasPanel && <About failure={failure} go={go} />}
      {step !== undefined && <StepPanel failure={failure} order={order} step={step} go={go} />}
      {asked.object !== undefined && <ObjectPanel failure={failure} object={asked.object} go={go} close={() => go(undefined)} />}
      {showsKeys && <KeyList close={() => setShowsKeys(false)} />}
    </div>
  );
}
