/** A queue of outgoing messages: anyone may push one, and the one stream that sends them reads them. */
export class PushQueue<Message> implements AsyncIterable<Message> {
  #messages: Message[] = [];
  #wake: (() => void) | undefined;
  #onRead: (() => void)[] = [];
  #isEnded = false;
  #error: unknown;

  /** Appends the message. Does nothing once the queue has ended. */
  push(message: Message): void {
    if (this.#isEnded) return;
    this.#messages.push(message);
    this.#wake?.();
  }

  /** Accepts no further messages. The queued ones are still read; then the iteration ends, or throws the error if given. */
  end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#wake?.();
    this.#announceRead();
  }

  /** Drops the queued messages and ends with the error. */
  fail(error: unknown): void {
    this.#messages = [];
    this.end(error);
  }

  /** Resolves once the reader has taken every message, or the queue has ended. */
  async untilRead(): Promise<void> {
    if (this.#messages.length > 0 && !this.#isEnded)
      await new Promise<void>((resolve) => this.#onRead.push(resolve));
  }

  get length(): number {
    return this.#messages.length;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    for (;;) {
      const batch = this.#messages;
      this.#messages = [];
      this.#announceRead();
      yield* batch;
      if (this.#messages.length > 0) continue;
      if (this.#isEnded) {
        if (this.#error !== undefined) throw this.#error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  #announceRead(): void {
    for (const resolve of this.#onRead.splice(0)) resolve();
  }
}
