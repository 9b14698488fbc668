/** The control of a page's range of time: ranges by one press, a text, and a link that keeps the very instants. */
import { type FormEvent, useId, useRef, useState } from "react";
import { timeZone } from "../preferences/preferences.ts";
import { instantText, minuteText } from "../time/format.ts";
import { parseRange, RANGES, rangeName, searchWithRange } from "../time/range.ts";
import { copyText } from "./copy-text.ts";
import { useShortcut } from "./shortcuts.ts";
import type { PageRange } from "./use-range.ts";

/** Shows and changes a range. */
export function RangePicker({ page: { range, fromMs, toMs, setRange } }: { page: PageRange }) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [wasCopied, setWasCopied] = useState(false);
  const problemId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const open = () => {
    button.current?.focus();
    setIsOpen(true);
  };
  useShortcut({ keys: "t", label: "Change the time range", group: "This page", act: open });
  const name = rangeName(range, minuteText);
  const choose = (typed: string) => {
    const chosen = parseRange(typed, Date.now(), timeZone());
    if (!chosen) return setProblem("Write 3h, last 2 days, yesterday, or 2026-11-20 14:00 to 15:30.");
    setRange(chosen);
    setProblem(undefined);
    setIsOpen(false);
  };
  const copy = async () => {
    const search = searchWithRange(new URLSearchParams(location.search), { fromMs, toMs });
    await copyText(`${location.origin}${location.pathname}?${search}`);
    setWasCopied(true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(text);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame around what is a toolbar's part
    <div role="group" aria-label="Time range" className="range">
      <button
        ref={button}
        type="button"
        className="quiet-button"
        aria-expanded={isOpen}
        title={`${instantText(new Date(fromMs).toISOString())} to ${instantText(new Date(toMs).toISOString())}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {name}
      </button>
      <button type="button" className="quiet-button" onClick={() => void copy()}>
        Copy link to this range
      </button>
      <span role="status" className="quiet">
        {wasCopied ? "Copied" : ""}
      </span>
      {isOpen && (
        <div className="range-choices">
          {RANGES.map(([key, title]) => (
            <button key={key} type="button" className="quiet-button" onClick={() => choose(key)}>
              {title}
            </button>
          ))}
          <form onSubmit={submit}>
            <label>
              Other range{" "}
              <input
                value={text}
                placeholder="yesterday"
                aria-describedby={problem && problemId}
                aria-invalid={problem !== undefined}
                onChange={({ target }) => setText(target.value)}
              />
            </label>{" "}
            <button type="submit">Show</button>
          </form>
          {problem && (
            <p id={problemId} role="alert" className="problem">
              {problem}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
