/** A failure of the target in the middle of an exchange, when part of a response may have come. */
import { TargetFailure, type TargetFailureParts } from "../run/failures.ts";
import type { HttpResponse } from "./response.ts";

/** A failure of the target, with the part of the response that was received as evidence. */
export class HttpFailure extends TargetFailure {
  readonly response: HttpResponse | undefined;

  constructor(parts: TargetFailureParts & { response: HttpResponse | undefined }, options?: ErrorOptions) {
    super(parts, options);
    this.response = parts.response;
  }
}

/** Returns the part of a response that came before the failure, if any did. */
export function responseBefore(failure: TargetFailure | undefined): HttpResponse | undefined {
  return failure instanceof HttpFailure ? failure.response : undefined;
}
