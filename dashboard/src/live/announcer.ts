/** Sentences about changed checks for those who hear the page: merged, and at most one in some seconds. */

/** Time between two sentences. */
const PAUSE_MS = 5_000;

/** A check that changed, by its name and the word of its new state. */
export interface ChangedCheck {
  checkId: string;
  name: string;
  word: string;
}

/** Collects changes, and says them in turn. */
export class Announcer {
  readonly #say: (sentence: string) => void;
  readonly #waiting = new Map<string, ChangedCheck>();
  #pausing: ReturnType<typeof setTimeout> | undefined;

  constructor(say: (sentence: string) => void) {
    this.#say = say;
  }

  /** Says the change at once, or after the pause together with what else changes until then; of a check its newest state. */
  add(changed: ChangedCheck): void {
    this.#waiting.delete(changed.checkId);
    this.#waiting.set(changed.checkId, changed);
    if (this.#pausing === undefined) this.#speak();
  }

  #speak(): void {
    this.#pausing = undefined;
    if (this.#waiting.size === 0) return;
    this.#say(sentenceOf([...this.#waiting.values()]));
    this.#waiting.clear();
    this.#pausing = setTimeout(() => this.#speak(), PAUSE_MS);
  }
}

/** Returns `Checkout is unhealthy, 2 more`. @param changed at least one */
function sentenceOf([first, ...others]: readonly ChangedCheck[]): string {
  const sentence = `${first?.name} is ${first?.word.toLowerCase()}`;
  return others.length === 0 ? sentence : `${sentence}, ${others.length} more`;
}
