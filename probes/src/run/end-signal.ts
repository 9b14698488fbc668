/**
 * The part of an AbortSignal that a run needs. Every run makes one, and to make Node's own, listen to it and leave it costs
 * as much as a fiftieth of a TLS handshake.
 */
import type { StopSignal } from "@svc/egress";

/** A signal that its owner aborts. */
export class EndSignal implements StopSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  /** Calls every listener once. A second call does nothing. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
