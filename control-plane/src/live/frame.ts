/** Events as the lines of a server-sent stream, and the newest ones kept for clients that connect again. */
import type { LiveEvent } from "@svc/contract";

/** An event as it is written to streams. */
export interface Frame {
  name: LiveEvent["name"];
  /** Id of the check of a `results` event, which only those get who follow the check. */
  checkId: string | undefined;
  bytes: Buffer;
}

/** Milliseconds after which a client connects again. */
const RETRY_MS = 1_000;

/**
 * Returns the event as bytes of a stream.
 * @param id names the event for a client that connects again; undefined for events that are not repeated
 */
export function frameOf(event: LiveEvent, id?: string): Frame {
  const lines = [
    ...(event.name === "hello" ? [`retry: ${RETRY_MS}`] : []),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${event.name}`,
    `data: ${JSON.stringify(event.data)}`,
  ];
  return {
    name: event.name,
    checkId: event.name === "results" ? event.data.checkId : undefined,
    bytes: Buffer.from(`${lines.join("\n")}\n\n`),
  };
}

/** The newest events of a hub, by number, up to a limit of bytes. */
export class FrameLog {
  readonly #replicaId: string;
  readonly #bytesMax: number;
  readonly #frames: Frame[] = [];
  #bytes = 0;
  /** Number of the next event. */
  #next: number;

  /** @param firstNumber larger than any number that an earlier log of the replica gave, so that ids stay unique */
  constructor(replicaId: string, { firstNumber, bytesMax }: { firstNumber: number; bytesMax: number }) {
    this.#replicaId = replicaId;
    this.#next = firstNumber;
    this.#bytesMax = bytesMax;
  }

  /** Id of the newest event: a client that has it has missed nothing. */
  get newestId(): string {
    return `${this.#replicaId}:${this.#next - 1}`;
  }

  /** Gives the event its id and keeps it. */
  append(event: LiveEvent): Frame {
    const frame = frameOf(event, `${this.#replicaId}:${this.#next++}`);
    this.#frames.push(frame);
    this.#bytes += frame.bytes.length;
    while (this.#bytes > this.#bytesMax) this.#bytes -= this.#frames.shift()?.bytes.length ?? 0;
    return frame;
  }

  /** Returns the events after the one with this id, oldest first; undefined when some of them are not known here. */
  after(id: string): Frame[] | undefined {
    const [, replicaId, number] = /^(.+):(\d{1,15})$/.exec(id) ?? [];
    if (replicaId !== this.#replicaId) return undefined;
    const missed = this.#next - 1 - Number(number);
    return missed >= 0 && missed <= this.#frames.length
      ? this.#frames.slice(this.#frames.length - missed)
      : undefined;
  }
}
