/** The memory budget of running uploads. One runner key can use only a part of it. */
import { DomainError } from "@svc/contract";

const UPLOADS_PER_KEY_MAX = 4;
const BYTES_MAX = 256 * 1024 * 1024;

export class UploadBudget {
  readonly #uploads = new Map<string, number>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Reserves memory for a file.
   * @returns a function that releases it; call it once
   * @throws DomainError `unavailable` when the budget is used up; the upload may be repeated
   */
  reserve(runnerKeyId: string, bytes: number): () => void {
    const uploads = this.#uploads.get(runnerKeyId) ?? 0;
    if (uploads >= UPLOADS_PER_KEY_MAX)
      throw new DomainError(
        "unavailable",
        `a runner key has ${UPLOADS_PER_KEY_MAX} uploads at a time at most`,
      );
    if (this.#bytes + bytes > this.#bytesMax)
      throw new DomainError("unavailable", "too many uploads are under way; try again");
    this.#uploads.set(runnerKeyId, uploads + 1);
    this.#bytes += bytes;
    return () => {
      this.#bytes -= bytes;
      const left = (this.#uploads.get(runnerKeyId) ?? 1) - 1;
      if (left > 0) this.#uploads.set(runnerKeyId, left);
      else this.#uploads.delete(runnerKeyId);
    };
  }
}
