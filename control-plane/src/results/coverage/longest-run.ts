/** Decides how long a run may take before its result has to be there. Pure. */
import { checkTypes } from "@svc/contract";
import type { CheckModel } from "../../checks/row.ts";

/** Time limit of a check whose configuration names none. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** Returns the longest that a run of the check takes from its begin to its result, retries included, ms. */
export function longestRunMs({ type, config, retry }: Pick<CheckModel, "type" | "config" | "retry">): number {
  const timeoutMs = typeof config.timeoutMs === "number" ? config.timeoutMs : DEFAULT_TIMEOUT_MS;
  const { overheadMs = 0 } = checkTypes.get(type);
  return timeoutMs + overheadMs + (retry?.maxDurationSeconds ?? 0) * 1000;
}
