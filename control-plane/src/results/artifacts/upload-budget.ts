/**
 * The memory budget of running uploads, shared by team. A key has a few uploads at a time, and a team with many keys a
 * quarter of the bytes. When the bytes are used up, a team without any upload under way still gets one, up to twice the
 * bytes in all: so teams that hold theirs open keep nobody out.
 */
import { DomainError } from "@svc/contract";

const UPLOADS_PER_KEY_MAX = 4;
const BYTES_MAX = 256 * 1024 * 1024;
const TEAM_SHARE = 1 / 4;

/** The sender of an upload. */
export interface Uploader {
  runnerKeyId: string;
  /** null: the hosted fleet, which uploads for all teams. */
  teamId: string | null;
}

/** Counts of running uploads by some name. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/** Counts the uploads under way in this process and the bytes that they may hold. */
export class UploadBudget {
  readonly #uploadsOfKey = new Counts();
  readonly #bytesOfTeam = new Counts();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Reserves memory for a file.
   * @returns a function that releases it; call it once
   * @throws DomainError `unavailable` when the budget or the sender's part of it is used up; the upload may be repeated
   */
  reserve({ runnerKeyId, teamId }: Uploader, bytes: number): () => void {
    if (this.#uploadsOfKey.of(runnerKeyId) >= UPLOADS_PER_KEY_MAX)
      throw new DomainError(
        "unavailable",
        `a runner key has ${UPLOADS_PER_KEY_MAX} uploads at a time at most`,
      );
    if (!this.#fits(teamId, bytes))
      throw new DomainError("unavailable", "too many uploads are under way; try again");
    const count = (sign: 1 | -1) => {
      this.#uploadsOfKey.add(runnerKeyId, sign);
      if (teamId !== null) this.#bytesOfTeam.add(teamId, sign * bytes);
      this.#bytes += sign * bytes;
    };
    count(1);
    return () => count(-1);
  }

  #fits(teamId: string | null, bytes: number): boolean {
    const isInBudget = this.#bytes + bytes <= this.#bytesMax;
    if (teamId === null) return isInBudget;
    const bytesOfTeam = this.#bytesOfTeam.of(teamId);
    if (bytesOfTeam === 0) return this.#bytes + bytes <= 2 * this.#bytesMax;
    return isInBudget && bytesOfTeam + bytes <= this.#bytesMax * TEAM_SHARE;
  }
}
