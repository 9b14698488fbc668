/** Makes the failures that end a run because of a server's answer. Their messages name the host and the step. */
import { HttpFailure } from "../http/http-failure.ts";
import type { HttpResponse } from "../http/response.ts";
import type { TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";

/** An answer that the run can't go on with. */
export interface UnusableAnswer {
  /** The predicate of the message's sentence, whose subject is the host. */
  message: string;
  /** Default: protocol. */
  category?: "http" | "protocol";
  /** The answer, as evidence. */
  response?: HttpResponse;
}

/** Returns the failure of a run whose answer can't be used. */
export function unusableAnswer(
  scope: RunScope,
  { message, category = "protocol", response }: UnusableAnswer,
): TargetFailure {
  return new HttpFailure({
    status: "error",
    category,
    message: `${scope.url.host} ${message}`,
    response,
  });
}

/** Returns the failure of a run whose connection ended before the answer did. */
export function brokenAnswer(
  scope: RunScope,
  { cause, response }: { cause?: Error | undefined; response?: HttpResponse },
): TargetFailure {
  return new HttpFailure(
    {
      status: "error",
      category: "connect",
      message: `${scope.url.host} closed the connection before the end of its answer to ${stepOf(scope)}`,
      isNetworkError: true,
      response,
    },
    { cause },
  );
}

/** Returns the words by which messages name the current step. */
export function stepOf({ step }: RunScope): string {
  return step ?? "the request";
}
