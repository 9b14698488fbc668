/** What the event loop and the worker thread say to each other: one job at a time, each answered once. */

import type { ConformanceResult, ResponseToJudge } from "../conformance/conformance-result.ts";
import type { CompileOutcome } from "../document/compile.ts";
import type { UploadBody } from "../document/upload-body.ts";

export type Job =
  | { kind: "parse_upload"; bytes: Uint8Array }
  | { kind: "compile"; bytes: Uint8Array; sourceUrl?: string }
  /** Makes a document known; `json` is the form that compiling gave. */
  | { kind: "load"; sha256: string; json: Uint8Array }
  | { kind: "judge"; sha256: string; response: ResponseToJudge };

/** Results by job; `unknown_document`: load it and ask again. */
export interface JobResults {
  parse_upload: UploadBody | { syntaxError: string };
  compile: CompileOutcome;
  load: null;
  judge: ConformanceResult | "unknown_document";
}

/** `ready`: sent once, first. `preparing`: the job is compiling schemas, which its time limit does not count; `prepared`: it begins to judge. */
export type WorkerMessage =
  | { kind: "ready" }
  | { kind: "done"; result: JobResults[keyof JobResults] }
  | { kind: "failed"; message: string }
  | { kind: "preparing" }
  | { kind: "prepared" };
