/** Cursor, selection and half-written words of a plain field that is about to become an editor of code. */

/** Part of a text, in UTF-16 units; `anchor` is where it was begun, `head` where the cursor is. */
export interface Selection {
  anchor: number;
  head: number;
}

/** Returns the selection in a field; undefined: the focus is elsewhere. */
export function selectionOf(field: HTMLTextAreaElement | null): Selection | undefined {
  if (!field || document.activeElement !== field) return undefined;
  const { selectionStart, selectionEnd, selectionDirection } = field;
  return selectionDirection === "backward"
    ? { anchor: selectionEnd, head: selectionStart }
    : { anchor: selectionStart, head: selectionEnd };
}

/** Moves the focus and the cursor to the beginning of a line, from 1. */
export function goToLine(field: HTMLTextAreaElement, line: number): void {
  const start = field.value.split("\n", line - 1).join("\n").length;
  const at = line === 1 ? 0 : Math.min(start + 1, field.value.length);
  field.focus();
  field.setSelectionRange(at, at);
}

/** A word that an input method is about to write. A field that is replaced before its end loses it. */
export class Composition {
  #isRunning = false;
  #next: (() => void) | undefined;

  begin(): void {
    this.#isRunning = true;
  }

  end(): void {
    this.#isRunning = false;
    const next = this.#next;
    this.#next = undefined;
    // The browser writes the word into the field after this event.
    if (next) setTimeout(next);
  }

  /** Calls `act` now, or after the word that is being written. */
  afterIt(act: () => void): void {
    if (this.#isRunning) this.#next = act;
    else act();
  }
}
