/** The documents that a worker knows, least recently used first; bounded by their size as JSON. */
import { ConformanceJudge } from "../conformance/judge.ts";
import { openApiLine } from "../document/validate.ts";

/** Sum of the JSON of the documents that are kept, bytes. Parsed and compiled they take five to ten times that. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

export class Documents {
  readonly #kept = new Map<string, { judge: ConformanceJudge; bytes: number }>();
  #keptBytes = 0;

  /** Parses a document that was compiled before; does nothing when it is known. Always keeps the newest one. */
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

  /** The document's judge, now the most recently used. */
  find(sha256: string): ConformanceJudge | undefined {
    const found = this.#kept.get(sha256);
    if (!found) return undefined;
    this.#kept.delete(sha256);
    this.#kept.set(sha256, found);
    return found.judge;
  }
}
