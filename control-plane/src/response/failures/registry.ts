/**
 * The reasons that single failures show by themselves, the surer ones first. To add one: its file beside this one, one line here,
 * and its analysis rule where it is to be an insight of its own.
 */
import { defineFamily } from "@svc/contract";
import { accessRefused } from "./access-refused.ts";
import type { FailureReason } from "./define-reason.ts";
import type { Failure } from "./failure.ts";
import { maintenancePage } from "./maintenance-page.ts";
import { rateLimit } from "./rate-limit.ts";
import { redirectLoop } from "./redirect-loop.ts";
import { schemaChange } from "./schema-change.ts";
import { thirdPartyFault } from "./third-party-fault.ts";

/** All reasons of failures, in their order of precedence. */
export const failureReasons = defineFamily("failure reason", [
  rateLimit,
  accessRefused,
  maintenancePage,
  redirectLoop,
  thirdPartyFault,
  schemaChange,
]);

/** Name of a reason. */
export type FailureReasonType = (typeof failureReasons)["types"][number];

/** Returns the first reason that explains most of these failures, with those that it explains; undefined when none does. */
export function reasonOf<F extends Failure>(
  failures: readonly F[],
): { reason: FailureReason; explained: F[] } | undefined {
  for (const reason of failureReasons.members) {
    const explained = failures.filter((failure) => reason.explains(failure));
    if (explained.length * 2 > failures.length) return { reason, explained };
  }
  return undefined;
}
