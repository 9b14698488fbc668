export type { ApiSpecHandle } from "./api-spec-handle.ts";
export type { CompiledSpec } from "./document/compile.ts";
export { SPEC_BYTES_MAX } from "./document/limits.ts";
export type { SpecOperation } from "./document/operations.ts";
export { describeProblem } from "./document/problem.ts";
export { parseUploadBody } from "./document/upload-body.ts";
export { OpenApiEngine } from "./engine.ts";
export { JobQueue } from "./worker/job-queue.ts";
export { LaneFull } from "./worker/lane.ts";
