/**
 * One stream of the service, opened again whenever it ends or falls silent. Runs in the worker that all tabs share, or in the one
 * tab that is visible where there are no such workers.
 */
import type { LiveEventName, liveRoutes } from "@svc/contract";
import type { StreamEvent, StreamMessage } from "./message.ts";

// The table of routes itself would bring every schema into the worker.
const PATH: (typeof liveRoutes.stream)["path"] = "/api/live";
const EVENT_NAMES: readonly LiveEventName[] = [
  "hello",
  "states",
  "results",
  "alert",
  "incident",
  "location",
  "deployment",
  "change",
  "ping",
  "resync",
  "bye",
];
/** Time beyond two pings after which a silent stream is given up. */
const SILENCE_MS = 5_000;
/** Interval of pings until hello names it. */
const PING_INTERVAL_MS = 15_000;
const WATCH_INTERVAL_MS = 1_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 5_000;

/** Event source and clock of a connection; the browser's by default, replaced in tests. */
export interface LiveConnectionParts {
  createSource: (url: string) => EventSource;
  /** Unix ms. */
  nowMs: () => number;
}

const BROWSER: LiveConnectionParts = {
  createSource: (url) => new EventSource(url),
  nowMs: () => Date.now(),
};

/** Holds one `EventSource`, emits its events and its state, and opens it again after an end or a silence. */
export class LiveConnection {
  readonly #emit: (message: StreamMessage) => void;
  readonly #parts: LiveConnectionParts;
  #source: EventSource | undefined;
  #checkIds: readonly string[] = [];
  #isConnected = false;
  /** True when a stream ended in a way after which the next one does not know what was missed. */
  #mayHaveMissed = false;
  #heardAtMs = 0;
  #openedAtMs = 0;
  #pingIntervalMs = PING_INTERVAL_MS;
  #retryMs = RETRY_MS_MIN;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #watching: ReturnType<typeof setInterval> | undefined;

  constructor(emit: (message: StreamMessage) => void, parts: LiveConnectionParts = BROWSER) {
    this.#emit = emit;
    this.#parts = parts;
  }

  /** The state of the connection, for a tab that comes later. */
  get state(): StreamMessage {
    return { kind: "connection", isConnected: this.#isConnected, heardAtMs: this.#heardAtMs };
  }

  /** Opens the stream, or another one when other checks are to be followed: the former one ends when the new one works. */
  follow(checkIds: readonly string[]): void {
    const isChanged = checkIds.join() !== this.#checkIds.join();
    this.#checkIds = checkIds;
    if (this.#watching === undefined) {
      this.#watching = setInterval(() => this.#watch(), WATCH_INTERVAL_MS);
      this.#open();
    } else if (isChanged && this.#source) this.#open(this.#source);
  }

  /** Ends the stream. `follow` opens it again. */
  close(): void {
    clearInterval(this.#watching);
    clearTimeout(this.#retrying);
    this.#watching = undefined;
    this.#source?.close();
    this.#source = undefined;
    this.#mayHaveMissed = true;
    this.#note(false);
  }

  /** @param former stream that goes on until the new one works */
  #open(former?: EventSource): void {
    clearTimeout(this.#retrying);
    if (!former) this.#source?.close();
    const checkIds = this.#checkIds.map(encodeURIComponent).join(",");
    const source = this.#parts.createSource(PATH + (checkIds && `?checkId=${checkIds}`));
    this.#source = source;
    this.#openedAtMs = this.#parts.nowMs();
    for (const name of EVENT_NAMES)
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        if (name === "hello") former?.close();
        if (this.#source === source) this.#receive({ name, data: JSON.parse(data) } as StreamEvent);
      });
    source.addEventListener("error", () => {
      if (this.#source !== source) return;
      former?.close();
      this.#note(false);
      // The browser itself connects again after a broken connection, and then says what it has; not after a refusal.
      if (source.readyState !== source.CLOSED) return;
      this.#emit({ kind: "refused" });
      this.#openLater();
    });
  }

  #openLater(): void {
    this.#source?.close();
    this.#mayHaveMissed = true;
    clearTimeout(this.#retrying);
    this.#retrying = setTimeout(() => this.#open(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX);
  }

  #receive(event: StreamEvent): void {
    this.#heardAtMs = this.#parts.nowMs();
    if (event.name === "hello") {
      this.#pingIntervalMs = event.data.pingIntervalMs;
      this.#retryMs = RETRY_MS_MIN;
    }
    this.#note(event.name !== "bye");
    this.#emit({ kind: "event", event });
    if (event.name !== "hello" || !this.#mayHaveMissed) return;
    this.#mayHaveMissed = false;
    this.#emit({ kind: "missed" });
  }

  /** Gives up a stream that says nothing, as behind a proxy that collects it. */
  #watch(): void {
    const lastSignMs = Math.max(this.#heardAtMs, this.#openedAtMs);
    if (this.#parts.nowMs() - lastSignMs <= this.#pingIntervalMs + SILENCE_MS) return;
    this.#note(false);
    this.#openedAtMs = this.#parts.nowMs();
    this.#openLater();
  }

  #note(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#emit(this.state);
  }
}
