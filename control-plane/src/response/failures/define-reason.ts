/** The shape of a reason of failures. */
import type { FamilyMember } from "@svc/contract";
import type { Failure } from "./failure.ts";

/** A reason that single failures show by themselves. Pure. */
export interface FailureReason<Type extends string = string> extends FamilyMember {
  readonly type: Type;
  /** True when the failure has this reason. */
  explains(failure: Failure): boolean;
  /**
   * Returns a verb phrase that follows the target's name.
   * @param failures those that the reason explains, at least one
   */
  phrase(failures: readonly Failure[]): string;
  /** The part to look at first: a phrase in the imperative. */
  readonly advice: string;
  /** True when no deployment of the target's own service brings it about. */
  readonly isForeign?: boolean;
}

/** Returns the reason of this name. */
export function defineFailureReason<const Type extends string>(
  type: Type,
  reason: Omit<FailureReason, "type">,
): FailureReason<Type> {
  return { type, ...reason };
}

/** Returns the status codes of failures, each once, as a phrase. */
export function codesOf(failures: readonly Failure[]): string {
  return [...new Set(failures.flatMap(({ httpStatusCode }) => httpStatusCode ?? []))].sort().join(" and ");
}
