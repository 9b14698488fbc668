/** The full-screen view's state over time: keys change it at once, answers of the service when they come. */
import type { ApiClient } from "@svc/contract";
import { readStatus } from "../resources/status/read-status.ts";
import { mayReadAgain } from "../runtime/may-retry.ts";
import { type DashboardState, INITIAL, type Key, press } from "./state.ts";

export interface DashboardOptions {
  api: ApiClient;
  nowMs(): number;
  /** Called once: with what ended it, or with nothing when the person did. */
  onEnd(error?: unknown): void;
}

export class Dashboard {
  #state = INITIAL;
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #options: DashboardOptions;

  constructor(options: DashboardOptions) {
    this.#options = options;
  }

  readonly getState = (): DashboardState => this.#state;

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

  /** Reads anew; while that goes on already, it does not start a second time. */
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
        // The opened monitor was deleted by someone: that is no reason to end.
        this.#set({ ...this.#state, mode: "list", detail: undefined });
      else if (mayReadAgain(error)) this.#set({ ...this.#state, problem: (error as Error).message });
      else this.#options.onEnd(error);
    }
    // Opened meanwhile: what was read is not about it.
    if (this.#openId() !== opened && this.#openId() !== undefined) await this.#read();
  }

  #openId(): string | undefined {
    return this.#state.mode === "detail" ? this.#state.selectedId : undefined;
  }

  #set(state: DashboardState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
