/** The documents that a worker has loaded, least recently used first. Bounded by their size as JSON. */
import { ConformanceJudge } from "../conformance/judge.ts";
import { openApiLine } from "../document/validate.ts";

/** Largest sum of the documents' JSON. Parsed and compiled they take five to ten times that. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

/** See the head of this file. */
export class LoadedDocuments {
  readonly #kept = new Map<string, { judge: ConformanceJudge; bytes: number }>();
  #keptBytes = 0;

  /**
   * Parses a compiled document, unless it is loaded already, and drops the least recently used ones. Always keeps the
   * newest.
   */
  load(sha256: string, json: Uint8Array): void {
    if (this.find(sha256)) return;
    const document = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
    const found = openApiLine(document);
    if ("problem" in found) throw new Error(found.problem.message);
    this.#kept.set(sha256, { judge: new ConformanceJudge(document, found.line), bytes: json.byteLength });
    this.#keptBytes += json.byteLength;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES_MAX || oldest === sha256) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytes;
    }
  }

  /** Finds the document's judge and makes it the most recently used. */
  find(sha256: string): ConformanceJudge | undefined {
    const found = this.#kept.get(sha256);
    if (!found) return undefined;
    this.#kept.delete(sha256);
    this.#kept.set(sha256, found);
    return found.judge;
  }
}
