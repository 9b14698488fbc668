/**
 * Compiles OpenAPI documents, and judges responses by them, in worker threads. Documents and compiled operations stay
 * there, so that nothing blocks the event loop for longer than moving a message. The threads are shared by teams: they
 * take turns in each, and a team whose documents or responses are slow holds one thread of a kind at most.
 */
import { createHash } from "node:crypto";
import { MINUTE_MS } from "@svc/contract";

import type { ApiSpecHandle } from "./api-spec-handle.ts";
import type { ConformanceResult, ResponseToJudge } from "./conformance/conformance-result.ts";
import type { CompileOutcome } from "./document/compile.ts";
import type { UploadBody } from "./document/upload-body.ts";
import { JobOverrun, Lane, LaneStalled } from "./worker/lane.ts";
import { LaneGroup } from "./worker/lane-group.ts";

/** Time limit of compiling a document: 10 MiB of YAML take 9 s on one slow core. */
const COMPILE_LIMIT_MS = 120_000;
/** Largest document that compiles within tens of ms. */
const SMALL_BYTES_MAX = 256 * 1024;
/** Time limit of one judgement once its schemas are compiled: patterns in schemas can run for ever. */
const JUDGE_LIMIT_MS = 2_000;
/** Time limit of compiling the schemas of one operation. */
const PREPARE_LIMIT_MS = 30_000;

/** A lane that judges one response for longer than this sends the judgements of other documents to another lane. */
const STALL_MS = 200;
/** Threads that judge. A team has one of them, and another one while a document of another team stalls that. */
const JUDGING_LANES = 2;
/** Threads for small documents, and threads for large ones: one stays free of a team whose documents are slow. */
const COMPILING_LANES = 2;
/** Documents that are remembered as slow; beyond these the oldest ones are forgotten. */
const SLOW_DOCUMENTS_MAX = 10_000;
const MIB = 1024 * 1024;

/** Loads a document that a worker does not have, or no longer has: its JSON in the form that compiling returned. */
type LoadDocument = () => Promise<Uint8Array>;

/** A document to compile. */
export interface DocumentToCompile {
  /** Names the team whose document it is. */
  team: string;
  bytes: Uint8Array;
  /** The URL that the document was fetched from; relative server URLs are resolved against it. */
  sourceUrl?: string | undefined;
}

/** A document to judge by. */
export interface DocumentToJudgeBy {
  /** Names the team whose document it is. */
  team: string;
  sha256: string;
  load: LoadDocument;
}

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
  readonly #small = new LaneGroup(COMPILING_LANES, {
    heapMiB: 512,
    idleMs: 30_000,
    waitingMax: 200,
    waitingBytesMax: 128 * MIB,
  });
  readonly #large = new LaneGroup(COMPILING_LANES, {
    heapMiB: 2_048,
    idleMs: 30_000,
    waitingMax: 50,
    waitingBytesMax: 128 * MIB,
  });
  readonly #judging: readonly Lane[];
  /** For documents that overran a judgement, and for those whose team stalls its lane with another one. */
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
   * @param team names the team whose request it is
   */
  async parseUpload(team: string, bytes: Uint8Array): Promise<UploadBody> {
    const copy = new Uint8Array(bytes);
    const terms = { team, runMs: COMPILE_LIMIT_MS, transfer: [copy.buffer] };
    const result = await this.#small.run({ kind: "parse_upload", bytes: copy }, terms);
    if ("syntaxError" in result) throw new SyntaxError(result.syntaxError);
    return result;
  }

  /** Compiles a document. */
  async compile({ team, bytes, sourceUrl }: DocumentToCompile): Promise<CompileOutcome> {
    const copy = new Uint8Array(bytes);
    const lanes = bytes.byteLength <= SMALL_BYTES_MAX ? this.#small : this.#large;
    const terms = { team, runMs: COMPILE_LIMIT_MS, transfer: [copy.buffer] };
    try {
      return await lanes.run({ kind: "compile", bytes: copy, sourceUrl }, terms);
    } catch (error) {
      const message = tooCostly(error);
      if (message === undefined) throw error;
      return { success: false, problems: [{ pointer: "", message }], omittedProblems: 0 };
    }
  }

  /** Returns a handle that judges by the document, which is loaded when a worker needs it. */
  handle(document: DocumentToJudgeBy): ApiSpecHandle {
    const homeLane =
      createHash("sha256").update(document.team).digest().readUInt32BE() % this.#judging.length;
    return { judge: (response) => this.#judge({ ...document, homeLane }, response) };
  }

  /** Ends the worker threads. */
  async close(): Promise<void> {
    const lanes = [this.#small, this.#large, ...this.#judging, this.#slow];
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  async #judge(document: JudgedDocument, response: ResponseToJudge): Promise<ConformanceResult> {
    const { team, sha256, load } = document;
    const terms = { team, runMs: this.#judgeLimitMs, preparingMs: PREPARE_LIMIT_MS };
    try {
      for (let attempt = 0; attempt < LOAD_ATTEMPTS; attempt++) {
        const lane = this.#laneOf(document);
        try {
          const result = await lane.run({ kind: "judge", sha256, response }, terms);
          if (result !== "unknown_document") return result;
          const json = new Uint8Array(await load());
          const loading = { team, runMs: COMPILE_LIMIT_MS, transfer: [json.buffer] };
          await lane.run({ kind: "load", sha256, team, json }, loading);
        } catch (error) {
          if (!(error instanceof LaneStalled)) throw error;
        }
      }
      throw new Error("the OpenAPI document is pushed out as fast as it is loaded");
    } catch (error) {
      const message = tooCostly(error);
      if (message === undefined) throw error;
      this.#rememberSlow(sha256);
      return { conforms: false, problems: [`judging the response ${message}`] };
    }
  }

  /**
   * Returns the team's lane, so that a document is loaded once. While another team's document stalls that, returns
   * another lane; while the team itself stalls its lane, or every lane is stalled, returns the slow one.
   */
  #laneOf({ team, sha256, homeLane }: JudgedDocument): Lane {
    if (this.#slowDocuments.has(sha256)) return this.#slow;
    const home = this.#judging[homeLane] as Lane;
    const stallingTeam = home.stallingTeamFor(sha256);
    if (stallingTeam === undefined) return home;
    if (stallingTeam === team) return this.#slow;
    return this.#judging.find((lane) => lane.stallingTeamFor(sha256) === undefined) ?? this.#slow;
  }

  #rememberSlow(sha256: string): void {
    this.#slowDocuments.add(sha256);
    const [oldest] = this.#slowDocuments;
    if (oldest !== undefined && this.#slowDocuments.size > SLOW_DOCUMENTS_MAX)
      this.#slowDocuments.delete(oldest);
  }
}

interface JudgedDocument extends DocumentToJudgeBy {
  /** Index of the team's lane. */
  homeLane: number;
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
