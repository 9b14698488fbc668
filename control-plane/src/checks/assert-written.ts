import { DomainError, pathText } from "@svc/contract";
import { writtenProblems } from "@svc/contract/written-problems";

/** Most problems that an answer lists. */
const MESSAGES_MAX = 20;

/**
 * Passes when a configuration that is being written has no setting that does nothing, and its certificates and key can be used by a
 * run, as far as they are known yet.
 * @param input.field field of the request's body that holds the configuration
 * @throws DomainError `invalid` naming each field that can't stay, with the reason
 */
export function assertWritten({
  type,
  config,
  field,
}: {
  type: string;
  config: Readonly<Record<string, unknown>>;
  field: string;
}): void {
  const problems = writtenProblems(type, config).slice(0, MESSAGES_MAX);
  if (problems.length === 0) return;
  const messages = problems.map(({ path, message }) => `${field}${pathText(path)}: ${message}`);
  throw new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: { [field]: messages }, formErrors: [] },
  });
}
