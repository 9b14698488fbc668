/** Results as tools answer them. */
import type { Result } from "@svc/contract";
import { untrusted } from "../answers/untrusted.ts";

/** Fields that the service or its runners measured; all others hold what the target said. */
const MEASURED = [
  "id",
  "checkId",
  "runId",
  "locationId",
  "status",
  "errorCategory",
  "httpStatusCode",
  "responseTimeMs",
  "timing",
  "slotAt",
  "startedAt",
  "reason",
  "lateMs",
  "recoveredOnRetry",
  "webVitals",
] as const;
/** Fields that no reader needs beside those. */
const LEFT_OUT: ReadonlySet<string> = new Set(["completedAt", "traceId", "runnerId", ...MEASURED]);

/** Returns a result: what was measured, and what the target said, apart. */
export function resultView(result: Result): Record<string, unknown> {
  const measured = MEASURED.filter((field) => result[field] !== null && result[field] !== undefined);
  return {
    ...Object.fromEntries(measured.map((field) => [field, result[field]])),
    ...untrusted(saidByTarget(result)),
  };
}

/** Returns a result as a list has it: without its evidence. */
export function resultLine(result: Result): Record<string, unknown> {
  const { id, locationId, status, errorCategory, httpStatusCode, responseTimeMs, slotAt, reason } = result;
  return {
    id,
    locationId,
    status,
    ...(errorCategory && { errorCategory }),
    ...(httpStatusCode !== null && { httpStatusCode }),
    responseTimeMs,
    slotAt,
    ...(reason !== "scheduled" && { reason }),
    ...untrusted({ errorMessage: result.errorMessage }),
  };
}

/** Returns the fields of a result that hold what the target said, those that there are. */
export function saidByTarget(result: Result): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(result).filter(([field, value]) => !LEFT_OUT.has(field) && value !== null),
  );
}
