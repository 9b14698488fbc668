/** Keeps the state of the full-screen view: keys change it at once, answers of the service when they arrive. */
import type { ApiClient } from "@svc/contract";
import { readStatus } from "../resources/status/read-status.ts";
import { mayReadAgain } from "../runtime/may-retry.ts";
import { INITIAL, type Key, type LiveViewState, press } from "./state.ts";

/** The service, the clock (Unix ms), and the callback for the view's end. */
export interface LiveViewOptions {
  api: ApiClient;
  nowMs(): number;
  /** Called when the view ends: with the error that ended it, or with nothing when the person did. */
  onEnd(error?: unknown): void;
}

/** Holds the state of the view, and tells its listeners when it changes. */
export class LiveView {
  #state = INITIAL;
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #options: LiveViewOptions;

  constructor(options: LiveViewOptions) {
    this.#options = options;
  }

  readonly getState = (): LiveViewState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  press(key: Key): void {
    const { state, effect } = press(this.#state, key);
    this.#set(state);
    if (effect === "quit") this.#options.onEnd();
    else if (effect !== undefined) void this.refresh();
  }

  /** Reads again; resolves with the present reading when one is under way. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { api, nowMs } = this.#options;
    const opened = this.#openId();
    try {
      const [monitors, detail] = await Promise.all([
        readStatus(api),
        opened === undefined ? undefined : api.getCheck(opened),
      ]);
      this.#set({ ...this.#state, monitors, readAtMs: nowMs(), problem: undefined });
      if (detail && opened === this.#openId()) this.#set({ ...this.#state, detail });
    } catch (error) {
      if (opened !== undefined && (error as { status?: number }).status === 404)
        // Someone deleted the opened monitor: go back to the list.
        this.#set({ ...this.#state, mode: "list", detail: undefined });
      else if (mayReadAgain(error, "view")) this.#set({ ...this.#state, problem: (error as Error).message });
      else this.#options.onEnd(error);
    }
    // The person opened another monitor meanwhile: read that one.
    if (this.#openId() !== opened && this.#openId() !== undefined) await this.#read();
  }

  #openId(): string | undefined {
    return this.#state.mode === "detail" ? this.#state.selectedId : undefined;
  }

  #set(state: LiveViewState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
