/** Short messages about what was done, at the edge of the page. What went wrong stays until it is closed. */
import { useSyncExternalStore } from "react";

/** Time for which a message stays, and can be undone. */
const SHOWN_MS = 8_000;
/** Messages shown at once; an older one that reports no problem gives way. */
const SHOWN_MAX = 4;

/** A message. */
interface Message {
  readonly text: string;
  /** Present where what was done can be undone. What it throws is shown as a problem. */
  readonly undo?: () => Promise<unknown>;
  readonly isProblem?: boolean;
}

interface Shown extends Message {
  readonly id: number;
}

let shown: readonly Shown[] = [];
let lastId = 0;
let isRead = false;
const listeners = new Set<() => void>();

function show(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const close = (id: number) => show(shown.filter((one) => one.id !== id));

/** Shows a message, on whatever page the reader is. */
export function say(message: Message): void {
  const id = ++lastId;
  const excess = shown
    .filter(({ isProblem }) => !isProblem)
    .slice(0, Math.max(0, shown.length + 1 - SHOWN_MAX));
  show([...shown.filter((one) => !excess.includes(one)), { ...message, id }]);
  if (!message.isProblem) setTimeout(() => closeUnread(id), SHOWN_MS);
}

/** Closes a message, later when the pointer or the focus is on the messages. */
function closeUnread(id: number): void {
  if (isRead) setTimeout(() => closeUnread(id), SHOWN_MS);
  else close(id);
}

async function undo({ id, undo: act }: Shown): Promise<void> {
  close(id);
  try {
    await act?.();
    say({ text: "Undone." });
  } catch (error) {
    say({ text: `Not undone: ${(error as Error).message}`, isProblem: true });
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Shows the messages. Once on a page. */
export function Messages() {
  const messages = useSyncExternalStore(subscribe, () => shown);
  const mark = (reads: boolean) => () => {
    isRead = reads;
  };
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="messages"
      onPointerEnter={mark(true)}
      onPointerLeave={mark(false)}
      onFocus={mark(true)}
      onBlur={mark(false)}
    >
      {messages.map((message) => (
        <div key={message.id} role={message.isProblem ? "alert" : undefined} className="message">
          <span className={message.isProblem ? "problem" : undefined}>{message.text}</span>
          {message.undo && (
            <button type="button" className="quiet-button" onClick={() => void undo(message)}>
              Undo
            </button>
          )}
          <button
            type="button"
            className="quiet-button"
            aria-label="Close message"
            onClick={() => close(message.id)}
          >
            ×
          </button>
        </div>
      ))}
    </section>
  );
}
