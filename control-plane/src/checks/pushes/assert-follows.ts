import { invalidField } from "@svc/contract";

/** @throws DomainError `invalid` when a frequency was given that differs from the one that follows from the configuration */
export function assertFollows(given: number | undefined, derived: number): void {
  if (given !== undefined && given !== derived)
    throw invalidField(
      "frequencySeconds",
      `follows from the configuration, which makes it ${derived}; leave the field out`,
    );
}
