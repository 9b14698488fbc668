/** The statuses that calls of gRPC end with. */
import { TargetFailure } from "../run/failures.ts";

/** Names of the statuses, by number (gRPC, Status codes and their use). */
const NAMES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/** Returns the name of a status, or its number where that has no name. */
export function grpcStatusName(status: number): string {
  return NAMES[status] ?? String(status);
}

/**
 * Returns the failure of a call that ended with a status other than OK.
 * @param facts.words the server's own
 */
export function failureOfStatus(
  status: number,
  { host, subject, words = "" }: { host: string; subject: string; words: string | undefined },
): TargetFailure {
  const name = grpcStatusName(status);
  const said = words === "" ? name : `${name}: ${words}`;
  switch (name) {
    case "DEADLINE_EXCEEDED":
      return new TargetFailure({
        status: "timeout",
        category: "timeout",
        message: `${host} gave the call up when its time had passed (${said})`,
      });
    case "NOT_FOUND":
      return failure(`${host} does not know the health of ${subject} (${said})`);
    case "UNIMPLEMENTED":
      return failure(`${host} does not offer the health protocol grpc.health.v1 (${said})`);
    default:
      return failure(`${host} answered the question for the health of ${subject} with ${said}`);
  }
}

function failure(message: string): TargetFailure {
  return new TargetFailure({ status: "failure", category: "assertion", message });
}
