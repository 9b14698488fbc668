/**
 * The documents that a worker has loaded, least recently used first. Bounded by their size as JSON; the team whose
 * documents are the largest together makes way first, so that no team pushes out another's.
 */
import { ConformanceJudge } from "../conformance/judge.ts";
import { openApiLine } from "../document/validate.ts";

/** Largest sum of the documents' JSON. Parsed and compiled they take five to ten times that. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

interface KeptDocument {
  team: string;
  judge: ConformanceJudge;
  bytes: number;
}

/** A document to load. `json` has the form that compiling returned. */
export interface DocumentToLoad {
  sha256: string;
  /** Names the team whose document it is. */
  team: string;
  json: Uint8Array;
}

/** Keeps compiled documents up to `KEPT_BYTES_MAX` and returns the judge of one; undefined when it has to be loaded. */
export class LoadedDocuments {
  readonly #kept = new Map<string, KeptDocument>();
  #keptBytes = 0;

  /** Parses a compiled document, unless it is loaded already, and drops others that no longer fit beside it. */
  load({ sha256, team, json }: DocumentToLoad): void {
    if (this.find(sha256)) return;
    const document = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
    const found = openApiLine(document);
    if ("problem" in found) throw new Error(found.problem.message);
    const judge = new ConformanceJudge(document, found.line);
    this.#kept.set(sha256, { team, judge, bytes: json.byteLength });
    this.#keptBytes += json.byteLength;
    while (this.#keptBytes > KEPT_BYTES_MAX && this.#kept.size > 1) this.#dropOne(sha256);
  }

  /** Finds the document's judge and makes it the most recently used. */
  find(sha256: string): ConformanceJudge | undefined {
    const found = this.#kept.get(sha256);
    if (!found) return undefined;
    this.#kept.delete(sha256);
    this.#kept.set(sha256, found);
    return found.judge;
  }

  /** Drops the least recently used document, but the newest, of the team that has most bytes in such documents. */
  #dropOne(newest: string): void {
    const droppable = [...this.#kept].filter(([sha256]) => sha256 !== newest);
    const bytesOf = new Map<string, number>();
    for (const [, { team, bytes }] of droppable) bytesOf.set(team, (bytesOf.get(team) ?? 0) + bytes);
    const largest = Math.max(...bytesOf.values());
    const found = droppable.find(([, { team }]) => bytesOf.get(team) === largest);
    if (!found) return;
    this.#kept.delete(found[0]);
    this.#keptBytes -= found[1].bytes;
  }
}
