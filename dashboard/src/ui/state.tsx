/** A state as a mark with its word. */
import type { StateWord } from "../status/words.ts";

/** Shows a state. Its mark has a shape of its own, so that it reads without colours, too. */
export function State({ state: { word, mark } }: { state: StateWord }) {
  return (
    <span className={`state ${mark}`}>
      <Shape mark={mark} />
      {word}
    </span>
  );
}

/** Shows the mark of a state alone, where the words beside it say what it means. */
export function StateMark({ mark }: { mark: StateWord["mark"] }) {
  return (
    <span className={`state ${mark}`}>
      <Shape mark={mark} />
    </span>
  );
}

function Shape({ mark }: { mark: StateWord["mark"] }) {
  return (
    <svg aria-hidden="true" className="mark" viewBox="0 0 16 16">
      {MARKS[mark]}
    </svg>
  );
}

const MARKS = {
  good: <circle cx="8" cy="8" r="6" />,
  failing: <path d="M8 2 15 14H1z" />,
  error: <path d="M2 2h12v12H2zM2 8l6-6M2 14 14 2M8 14l6-6" />,
  slow: <path d="M3 2h10L8 8l5 6H3l5-6z" />,
  unknown: <circle cx="8" cy="8" r="6" strokeDasharray="3 2" />,
  quiet: <path d="M4 3h3v10H4zM9 3h3v10H9z" />,
} as const;
