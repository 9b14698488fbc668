/** What the operator reads about the session: one line when its state changes, and a reminder while it stays bad. */
import { MINUTE_MS } from "@svc/contract";
import type { Logger } from "pino";
import type { StreamEnd } from "./stream-end.ts";

const REMIND_EVERY_MS = MINUTE_MS;

export class SessionLog {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  #toldKind: StreamEnd["kind"] | undefined;
  #toldAtMs = 0;
  #trouble: string | undefined = "not connected to the control plane yet";

  constructor(log: Logger, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Why there is no session now, in one line; undefined while there is one. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  connected(fields: Record<string, unknown>): void {
    this.#log.info(fields, "connected to the control plane");
    this.#trouble = undefined;
    this.#toldKind = undefined;
  }

  ended({ kind, line }: StreamEnd): void {
    this.#trouble = line;
    const isNews = kind !== this.#toldKind || this.#nowMs() - this.#toldAtMs >= REMIND_EVERY_MS;
    if (!isNews) return;
    this.#toldKind = kind;
    this.#toldAtMs = this.#nowMs();
    if (kind === "drained") this.#log.info(line);
    else if (kind === "lost") this.#log.warn(`${line}; checks run on, results are spooled, connecting again`);
    else this.#log.error(`${line}; trying again every 30 s`);
  }
}
