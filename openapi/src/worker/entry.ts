/** The worker thread, bundled as a file of its own: compiles documents and judges responses. */
import { parentPort } from "node:worker_threads";
import type { ConformanceResult, ResponseToJudge } from "../conformance/conformance-result.ts";
import { compileSpec } from "../document/compile.ts";
import { parseUploadBody } from "../document/upload-body.ts";
import { LoadedDocuments } from "./loaded-documents.ts";
import type { Job, JobResults, WorkerMessage } from "./protocol.ts";

if (!parentPort) throw new Error("openapi-worker runs in a worker thread only");
const port = parentPort;
const documents = new LoadedDocuments();

port.on("message", (job: Job) => {
  try {
    const result = run(job);
    send({ kind: "done", result }, transferables(result));
  } catch (error) {
    send({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
});
send({ kind: "ready" });

function run(job: Job): JobResults[keyof JobResults] {
  switch (job.kind) {
    case "parse_upload":
      return parseUpload(job.bytes);
    case "compile":
      return compileSpec(job.bytes, job.sourceUrl);
    case "load":
      documents.load(job);
      return null;
    case "judge":
      return judge(job.sha256, job.response);
  }
}

function parseUpload(bytes: Uint8Array): JobResults["parse_upload"] {
  try {
    return parseUploadBody(bytes);
  } catch (error) {
    return { syntaxError: (error as Error).message };
  }
}

function judge(sha256: string, response: ResponseToJudge): ConformanceResult | "unknown_document" {
  const document = documents.find(sha256);
  if (!document) return "unknown_document";
  send({ kind: "preparing" });
  const prepared = document.prepare(response);
  send({ kind: "prepared" });
  return document.judge(response, prepared);
}

function transferables(result: JobResults[keyof JobResults]): ArrayBuffer[] {
  if (typeof result !== "object" || result === null) return [];
  if ("content" in result && result.content) return [result.content.buffer];
  return "success" in result && result.success ? [result.spec.contentGzip.buffer] : [];
}

function send(message: WorkerMessage, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}
