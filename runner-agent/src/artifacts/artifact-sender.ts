/**
 * Uploads the folder's files, a few at a time. A file is removed when the control plane has it, refuses it for good, or
 * could not be reached for a day; until then the upload is tried again, less and less often. Results never wait for
 * files.
 */
import { DAY_MS } from "@svc/contract";
import { reconnectDelayMs } from "../network/reconnect-delay.ts";
import type { ArtifactFolder, KeptArtifact } from "./artifact-folder.ts";

/** Inputs of the sender. */
export interface ArtifactSenderParts {
  folder: Pick<ArtifactFolder, "read" | "remove">;
  /**
   * Uploads a file. Resolves with the reason when it is refused for good, undefined when it has arrived; rejects when
   * it may be tried again.
   */
  upload: (artifact: KeptArtifact, content: Buffer) => Promise<string | undefined>;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  random: () => number;
  setTimer: (callback: () => void, delayMs: number) => () => void;
  warn: (message: string, fields: Record<string, unknown>) => void;
}

const UPLOADS_AT_ONCE = 2;
/** Age of its slot at which a file is given up: longer than an outage that somebody attends to. */
const GIVE_UP_AFTER_MS = DAY_MS;
/** Factor on the reconnect delays: files are larger than results, and less urgent. */
const DELAY_FACTOR = 6;

/** Queue of the files to upload. */
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

  /** Number of files that have not arrived yet. */
  get backlog(): number {
    return this.#waiting.length + this.#underWay;
  }

  /** Adds files to upload. */
  add(artifacts: readonly KeptArtifact[]): void {
    this.#waiting.push(...artifacts);
    this.#pump();
  }

  /** Ends the wait between attempts; for when the control plane can be reached again. */
  retryNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#pump();
  }

  /** Resolves once every file has arrived or was given up. */
  async idle(): Promise<void> {
    if (this.backlog === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Begins no further upload. The files that are left stay in the folder. */
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

  /** Uploads one file. Never rejects; resolves with false when the upload is to be tried again. */
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
