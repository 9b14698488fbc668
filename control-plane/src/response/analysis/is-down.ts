import type { FailingLocation } from "./input.ts";

/** True when the location's newest result got no answer, or a 5xx by which the server reports its own failure. */
export function isDown({ newest: { category, httpStatusCode } }: FailingLocation): boolean {
  return category === "connect" || category === "timeout" || (httpStatusCode ?? 0) >= 500;
}
