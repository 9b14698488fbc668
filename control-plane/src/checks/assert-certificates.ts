import { DomainError } from "@svc/contract";
import { certificateProblems } from "@svc/contract/certificates";

/**
 * Passes when the certificates and the key of a configuration can be used by a run, as far as they are known yet.
 * @param input.field field of the request's body that holds the configuration
 * @throws DomainError `invalid` naming each field that can't be used, with the reason
 */
export function assertCertificates({
  config,
  field,
}: {
  config: Readonly<Record<string, unknown>>;
  field: string;
}): void {
  const problems = certificateProblems(config);
  if (problems.length === 0) return;
  const messages = problems.map((problem) => `${field}.${problem.field}: ${problem.message}`);
  throw new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: { [field]: messages }, formErrors: [] },
  });
}
