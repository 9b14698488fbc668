/**
 * An AbortSignal's part that a run needs. Each run has one, and node's own costs as much as a fiftieth of a TLS handshake to
 * make, listen to and leave.
 */
import type { StopSignal } from "@svc/egress";

export class EndSignal implements StopSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  /** Tells every listener, once; a second call does nothing. */
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
