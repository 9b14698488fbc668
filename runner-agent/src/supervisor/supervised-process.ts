/**
 * One process that works: started, asked, stopped, and started again when it ends by itself. States: starting -> running ->
 * ended, and after a wait starting again; `stop` ends it for good.
 */
import type { ChildProcess } from "node:child_process";
import type { Logger } from "pino";
import type { FromProcess, ToProcess } from "./messages.ts";
import { restartDelayMs } from "./restart-delay.ts";

/** A process's number, how to start it, and who hears of it. */
export interface SupervisedProcessParts {
  number: number;
  /** Starts the program once, with a channel for messages. */
  start: () => ChildProcess;
  log: Logger;
  monotonicMs: () => number;
  setTimer: (callback: () => void, delayMs: number) => () => void;
  onStarted: () => void;
  /**
   * Called when the process has ended.
   * @param by exit code, or the signal's name
   * @returns true when it is to be started again
   */
  onEnd: (by: number | string) => boolean;
}

/** A process answers within this time, or it is not ready. */
const ANSWER_MS = 2_000;

/** Keeps one process running. */
export class SupervisedProcess {
  readonly number: number;
  /** Resolves once the process has ended for good. */
  readonly ended: Promise<void>;
  readonly #parts: SupervisedProcessParts;
  readonly #answers = new Map<
    number,
    (answer: { metrics?: string; reasons?: string[] } | undefined) => void
  >();
  #resolveEnded: () => void = () => {};
  #child: ChildProcess | undefined;
  #hasStarted = false;
  #isStopping = false;
  #hasDeliveredAll = false;
  #startedAtMs = 0;
  #delayMs = 0;
  #cancelRestart = () => {};
  #asked = 0;

  constructor(parts: SupervisedProcessParts) {
    this.#parts = parts;
    this.number = parts.number;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#start();
  }

  /** Process id; undefined while none runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** True while it works. */
  get isRunning(): boolean {
    return this.#child !== undefined && this.#hasStarted;
  }

  /** True when it has drained and left nothing to be sent. */
  get hasDeliveredAll(): boolean {
    return this.#hasDeliveredAll;
  }

  /** Returns its metrics; empty when it does not answer. */
  async metrics(): Promise<string> {
    return (await this.#ask("metrics"))?.metrics ?? "";
  }

  /** Returns why it is not ready; empty: it is ready. */
  async reasons(): Promise<string[]> {
    if (!this.isRunning) return ["the process is not running"];
    return (await this.#ask("reasons"))?.reasons ?? ["the process does not answer"];
  }

  /** Has it drain and end, and starts it no more. Harmless to repeat. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelRestart();
    if (this.#child === undefined) this.#resolveEnded();
    else this.#send({ kind: "stop" });
  }

  /** Ends it at once. Results that it has stored are kept. */
  kill(): void {
    this.stop();
    this.#child?.kill("SIGKILL");
  }

  #start(): void {
    const child = this.#parts.start();
    this.#child = child;
    this.#hasStarted = false;
    this.#startedAtMs = this.#parts.monotonicMs();
    child.on("message", (message) => this.#handle(message as FromProcess));
    child.on("error", (cause) => this.#parts.log.error(`process ${this.number}: ${cause.message}`));
    // After "exit", and also when it could not be started at all.
    child.once("close", (code, signal) => this.#handleEnd(code ?? signal ?? "it could not be started"));
  }

  #handle(message: FromProcess): void {
    if (message.kind === "started") {
      this.#hasStarted = true;
      this.#parts.onStarted();
      // It did not know yet when it was asked to stop.
      if (this.#isStopping) this.#send({ kind: "stop" });
      return;
    }
    if (message.kind === "delivered") {
      this.#hasDeliveredAll = true;
      return;
    }
    this.#answers.get(message.id)?.(message);
    this.#answers.delete(message.id);
  }

  #handleEnd(by: number | string): void {
    const { log, monotonicMs, onEnd, setTimer } = this.#parts;
    this.#child = undefined;
    for (const answer of this.#answers.values()) answer(undefined);
    this.#answers.clear();
    const startsAgain = onEnd(by);
    if (this.#isStopping || !startsAgain) {
      this.#resolveEnded();
      return;
    }
    this.#delayMs = restartDelayMs(this.#delayMs, monotonicMs() - this.#startedAtMs);
    log.error(`process ${this.number} ended (${by}); it is started again in ${this.#delayMs / 1000} s`);
    this.#cancelRestart = setTimer(() => this.#start(), this.#delayMs);
  }

  #ask(about: "metrics" | "reasons") {
    return new Promise<{ metrics?: string; reasons?: string[] } | undefined>((resolve) => {
      if (!this.isRunning) return resolve(undefined);
      const id = ++this.#asked;
      const cancel = this.#parts.setTimer(() => {
        this.#answers.delete(id);
        resolve(undefined);
      }, ANSWER_MS);
      this.#answers.set(id, (answer) => {
        cancel();
        resolve(answer);
      });
      this.#send({ kind: "ask", about, id });
    });
  }

  /** A process that is just ending takes no message; its end is heard of anyway. */
  #send(message: ToProcess): void {
    this.#child?.send(message, () => {});
  }
}
