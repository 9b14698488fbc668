/**
 * Sends what the folder keeps, some at a time. A file goes when the control plane has it, refuses it for good, or is not to be
 * had for a day; until then it is tried again, less and less often. Results never wait for it.
 */
import { DAY_MS } from "@svc/contract";
import { reconnectDelayMs } from "../network/reconnect-delay.ts";
import type { ArtifactFolder, KeptArtifact } from "./artifact-folder.ts";

export interface ArtifactSenderParts {
  folder: Pick<ArtifactFolder, "read" | "remove">;
  /** Sends one. @returns why it is refused for good, or undefined when it has arrived   @throws Error when it may be tried again */
  upload: (artifact: KeptArtifact, content: Buffer) => Promise<string | undefined>;
  /** Unix ms of the corrected clock. */
  nowMs: () => number;
  random: () => number;
  setTimer: (callback: () => void, delayMs: number) => () => void;
  warn: (message: string, fields: Record<string, unknown>) => void;
}

const UPLOADS_AT_ONCE = 2;
/** Longer than an outage that somebody attends to. */
const GIVE_UP_AFTER_MS = DAY_MS;
/** The reconnect delays, stretched: files are larger than results, and less urgent. */
const DELAY_FACTOR = 6;

export class ArtifactSender {
  readonly #parts: ArtifactSenderParts;
  readonly #waiting: KeptArtifact[] = [];
  #underWay = 0;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;
  #whenIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(parts: ArtifactSenderParts) {
    this.#parts = parts;
  }

  /** Files that have not arrived. */
  get backlog(): number {
    return this.#waiting.length + this.#underWay;
  }

  add(artifacts: readonly KeptArtifact[]): void {
    this.#waiting.push(...artifacts);
    this.#pump();
  }

  /** The control plane can be reached again: no more waiting. */
  retryNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#pump();
  }

  /** Resolves once everything has arrived, or was given up. */
  async idle(): Promise<void> {
    if (this.backlog === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Begins nothing more; what is left stays in the folder. */
  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
  }

  #pump(): void {
    while (!this.#isClosed && this.#cancelRetry === undefined && this.#underWay < UPLOADS_AT_ONCE) {
      const artifact = this.#waiting.shift();
      if (artifact === undefined) break;
      this.#underWay++;
      void this.#send(artifact).then((isDone) => {
        this.#underWay--;
        if (!isDone) {
          this.#waiting.unshift(artifact);
          this.#retryLater();
        }
        this.#pump();
      });
    }
    if (this.backlog === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** @returns false when it is to be tried again   Never rejects. */
  async #send(artifact: KeptArtifact): Promise<boolean> {
    const { folder, upload, nowMs, warn } = this.#parts;
    const { checkKey, slotMs } = artifact;
    const content = await folder.read(artifact).catch(() => undefined);
    if (content === undefined) {
      await folder.remove(artifact);
      return true;
    }
    try {
      const refusal = await upload(artifact, content);
      if (refusal !== undefined) warn(`a picture or video was not stored: ${refusal}`, { checkKey, slotMs });
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      if (nowMs() - slotMs < GIVE_UP_AFTER_MS) return false;
      warn(`a picture or video was given up: ${(error as Error).message}`, { checkKey, slotMs });
    }
    await folder.remove(artifact);
    return true;
  }

  #retryLater(): void {
    const delayMs = DELAY_FACTOR * reconnectDelayMs(this.#failures, this.#parts.random());
    this.#cancelRetry ??= this.#parts.setTimer(() => this.retryNow(), delayMs);
  }
}
