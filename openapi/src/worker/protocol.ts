/** Messages between the event loop and the worker thread. There is one job at a time, and each is answered once. */

import type { ConformanceResult, ResponseToJudge } from "../conformance/conformance-result.ts";
import type { CompileOutcome } from "../document/compile.ts";
import type { UploadBody } from "../document/upload-body.ts";
import type { DocumentToLoad } from "./loaded-documents.ts";

/** A message to the worker. */
export type Job =
  | { kind: "parse_upload"; bytes: Uint8Array }
  | { kind: "compile"; bytes: Uint8Array; sourceUrl?: string }
  | ({ kind: "load" } & DocumentToLoad)
  | { kind: "judge"; sha256: string; response: ResponseToJudge };

/** Results by kind of job. `unknown_document`: the document must be loaded first. */
export interface JobResults {
  parse_upload: UploadBody | { syntaxError: string };
  compile: CompileOutcome;
  load: null;
  judge: ConformanceResult | "unknown_document";
}

/**
 * A message from the worker.
 * - `ready`: sent once, first
 * - `preparing`: the job begins to compile schemas, which its time limit does not count
 * - `prepared`: the job begins to judge
 * - `done`, `failed`: the job's answer
 */
export type WorkerMessage =
  | { kind: "ready" }
  | { kind: "done"; result: JobResults[keyof JobResults] }
  | { kind: "failed"; message: string }
  | { kind: "preparing" }
  | { kind: "prepared" };
