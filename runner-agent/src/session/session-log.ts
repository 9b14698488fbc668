/** Logs the session for the operator: one line when its state changes, and a reminder each minute while there is none. */
import { MINUTE_MS } from "@svc/contract";
import type { Logger } from "pino";
import type { StreamEnd } from "./stream-end.ts";

const REMIND_EVERY_MS = MINUTE_MS;

/** Writes the log lines about the state of the session. */
export class SessionLog {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  #loggedKind: StreamEnd["kind"] | undefined;
  #loggedAtMs = 0;
  #trouble: string | undefined = "not connected to the control plane yet";

  constructor(log: Logger, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** The reason why there is no session, in one line; undefined while there is one. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Logs that a session began. */
  connected(fields: Record<string, unknown>): void {
    this.#log.info(fields, "connected to the control plane");
    this.#trouble = undefined;
    this.#loggedKind = undefined;
  }

  /** Logs how a stream ended, unless the last line about the session says so already. */
  ended({ kind, line }: StreamEnd): void {
    this.#trouble = line;
    const isDue = kind !== this.#loggedKind || this.#nowMs() - this.#loggedAtMs >= REMIND_EVERY_MS;
    if (!isDue) return;
    this.#loggedKind = kind;
    this.#loggedAtMs = this.#nowMs();
    if (kind === "drained") this.#log.info(line);
    else if (kind === "lost") this.#log.warn(`${line}; checks run on, results are spooled, connecting again`);
    else this.#log.error(`${line}; trying again every 30 s`);
  }
}
