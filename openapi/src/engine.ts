/**
 * Compiles OpenAPI documents, and judges responses by them, in worker threads. Documents and compiled operations stay
 * there, so that nothing blocks the event loop for longer than moving a message.
 */
import { MINUTE_MS } from "@svc/contract";

import type { ApiSpecHandle } from "./api-spec-handle.ts";
import type { ConformanceResult, ResponseToJudge } from "./conformance/conformance-result.ts";
import type { CompileOutcome } from "./document/compile.ts";
import type { UploadBody } from "./document/upload-body.ts";
import { JobOverrun, Lane, LaneStalled } from "./worker/lane.ts";

/** Time limit of compiling a document: 10 MiB of YAML take 9 s on one slow core. */
const COMPILE_LIMIT_MS = 120_000;
/** Largest document that compiles within tens of ms. */
const SMALL_BYTES_MAX = 256 * 1024;
/** Time limit of one judgement once its schemas are compiled: patterns in schemas can run for ever. */
const JUDGE_LIMIT_MS = 2_000;
/** Time limit of compiling the schemas of one operation. */
const PREPARE_LIMIT_MS = 30_000;

/** A lane that compiles for longer than this sends the judgements of other documents to another lane. */
const STALL_MS = 200;
/** Threads that judge. A document has one of them, and another one while that compiles for another document. */
const JUDGING_LANES = 2;
const MIB = 1024 * 1024;

/** Loads a document that a worker does not have, or no longer has: its JSON in the form that compiling returned. */
export type LoadDocument = () => Promise<Uint8Array>;

/** Number of threads that judge, and their time limit. */
export interface OpenApiEngineOptions {
  /** Time limit of one judgement. Default 2000. */
  judgeLimitMs?: number;
  /** Threads that judge. Default 2. */
  judgingLanes?: number;
}

/** The worker threads, which start when first needed. Close it after use. */
export class OpenApiEngine {
  /** For small documents and the parsing of requests, which must not wait for large documents: those take seconds. */
  readonly #small = new Lane({
    heapMiB: 512,
    idleMs: 30_000,
    waitingMax: 200,
    waitingBytesMax: 128 * MIB,
  });
  readonly #large = new Lane({
    heapMiB: 2_048,
    idleMs: 30_000,
    waitingMax: 50,
    waitingBytesMax: 128 * MIB,
  });
  readonly #judging: readonly Lane[];
  /** For documents that overran a judgement: they wait for one another, and no other document waits for them. */
  readonly #slow = new Lane({
    heapMiB: 512,
    idleMs: MINUTE_MS,
    waitingMax: 1_000,
    waitingBytesMax: 64 * MIB,
  });
  readonly #slowDocuments = new Set<string>();
  readonly #judgeLimitMs: number;

  constructor({ judgeLimitMs = JUDGE_LIMIT_MS, judgingLanes = JUDGING_LANES }: OpenApiEngineOptions = {}) {
    this.#judgeLimitMs = judgeLimitMs;
    this.#judging = Array.from(
      { length: judgingLanes },
      () => new Lane({ heapMiB: 1_024, waitingMax: 10_000, waitingBytesMax: 64 * MIB, stallMs: STALL_MS }),
    );
  }

  /**
   * Parses a request body and separates the document in its field `content`. Rejects with SyntaxError when it is not
   * JSON.
   */
  async parseUpload(bytes: Uint8Array): Promise<UploadBody> {
    const copy = new Uint8Array(bytes);
    const result = await this.#small.run({ kind: "parse_upload", bytes: copy }, { runMs: COMPILE_LIMIT_MS }, [
      copy.buffer,
    ]);
    if ("syntaxError" in result) throw new SyntaxError(result.syntaxError);
    return result;
  }

  /**
   * Compiles a document.
   * @param sourceUrl the URL that it was fetched from; relative server URLs are resolved against it
   */
  async compile(bytes: Uint8Array, sourceUrl?: string): Promise<CompileOutcome> {
    const copy = new Uint8Array(bytes);
    const lane = bytes.byteLength <= SMALL_BYTES_MAX ? this.#small : this.#large;
    try {
      return await lane.run({ kind: "compile", bytes: copy, sourceUrl }, { runMs: COMPILE_LIMIT_MS }, [
        copy.buffer,
      ]);
    } catch (error) {
      const message = tooCostly(error);
      if (message === undefined) throw error;
      return { success: false, problems: [{ pointer: "", message }], omittedProblems: 0 };
    }
  }

  /** Returns a handle that judges by the document, which is loaded when a worker needs it. */
  handle(sha256: string, load: LoadDocument): ApiSpecHandle {
    return { judge: (response) => this.#judge(sha256, load, response) };
  }

  /** Ends the worker threads. */
  async close(): Promise<void> {
    const lanes = [this.#small, this.#large, ...this.#judging, this.#slow];
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  async #judge(sha256: string, load: LoadDocument, response: ResponseToJudge): Promise<ConformanceResult> {
    const limits = { runMs: this.#judgeLimitMs, preparingMs: PREPARE_LIMIT_MS };
    try {
      for (let attempt = 0; attempt < LOAD_ATTEMPTS; attempt++) {
        const lane = this.#laneOf(sha256);
        try {
          const result = await lane.run({ kind: "judge", sha256, response }, limits);
          if (result !== "unknown_document") return result;
          const json = new Uint8Array(await load());
          await lane.run({ kind: "load", sha256, json }, { runMs: COMPILE_LIMIT_MS }, [json.buffer]);
        } catch (error) {
          if (!(error instanceof LaneStalled)) throw error;
        }
      }
      throw new Error("the OpenAPI document is pushed out as fast as it is loaded");
    } catch (error) {
      const message = tooCostly(error);
      if (message === undefined) throw error;
      this.#slowDocuments.add(sha256);
      return { conforms: false, problems: [`judging the response ${message}`] };
    }
  }

  /**
   * Returns the document's own lane, so that it is loaded once; another lane while that one is stalled and the other is
   * not.
   */
  #laneOf(sha256: string): Lane {
    if (this.#slowDocuments.has(sha256)) return this.#slow;
    const first = Number.parseInt(sha256.slice(0, 8), 16) % this.#judging.length;
    const inOrder = [...this.#judging.slice(first), ...this.#judging.slice(0, first)];
    return inOrder.find((lane) => !lane.isStalledFor(sha256)) ?? (inOrder[0] as Lane);
  }
}

/**
 * Most attempts to load a document and judge by it: when many are used at once, others may push it out, or stall the
 * lane, in between.
 */
const LOAD_ATTEMPTS = 10;

/** Returns a phrase when a job ended because the document or the response costs too much; undefined for other errors. */
function tooCostly(error: unknown): string | undefined {
  if (error instanceof JobOverrun) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? "took more memory than it may" : undefined;
}
