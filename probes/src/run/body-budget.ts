/**
 * The memory that response bodies may take, over all runs of this process at once. A run that finds no room is this runner's
 * doing: its slot is given back, so that many large bodies at a time slow nothing down and never end the process. Waiting
 * instead would be measured as the target's slowness.
 */
import { RunnerFailure } from "./failures.ts";

/** For who does not say otherwise. One run needs at most about 90 MiB: a coded body of 10 MiB that is parsed as JSON. */
export const BODY_ROOM_BYTES_DEFAULT = 256 * 1024 * 1024;

export class BodyRoom {
  readonly #bytesMax: number;
  #usedBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that runs hold now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** A run's share, empty at first. */
  claim(): BodyClaim {
    return new BodyClaim((bytes) => {
      if (bytes > 0 && this.#usedBytes + bytes > this.#bytesMax) return false;
      this.#usedBytes += bytes;
      return true;
    });
  }
}

export class BodyClaim {
  readonly #reserve: (bytes: number) => boolean;
  #bytes = 0;

  /** @param reserve takes so many bytes from the room, or gives them back when negative; false: there is no room */
  constructor(reserve: (bytes: number) => boolean) {
    this.#reserve = reserve;
  }

  /** The run is about to hold so many bytes more. @throws RunnerFailure capacity */
  take(bytes: number): void {
    if (!this.#reserve(bytes))
      throw new RunnerFailure(
        "capacity",
        "response bodies take all the memory that this runner has for them",
      );
    this.#bytes += bytes;
  }

  /** The run holds nothing any more. Calling it twice is harmless. */
  release(): void {
    this.#reserve(-this.#bytes);
    this.#bytes = 0;
  }
}
