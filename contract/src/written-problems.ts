/**
 * Judges a configuration that is being written beyond its schema: settings that do nothing, and certificates that no run could use. Held
 * against what is written only, since a check that is stored goes on as it is. For Node.js only, as the certificates are.
 */
import { certificateProblems } from "./certificates.ts";
import { checkTypes } from "./checks/registry.ts";

/** A place in a configuration, and why it can't stay as it is written. */
export interface WrittenProblem {
  path: readonly (string | number)[];
  message: string;
}

/**
 * Returns the problems of a check's configuration that its type's schema does not know.
 * @param config valid by the type's schema, or nearly: fields of other kinds have no problems here
 */
export function writtenProblems(type: string, config: Readonly<Record<string, unknown>>): WrittenProblem[] {
  const known: { idleSettings?(config: never): readonly WrittenProblem[] } | undefined =
    checkTypes.find(type);
  const certificates = certificateProblems(config).map(({ field, message }) => ({ path: [field], message }));
  return [...certificates, ...(known?.idleSettings?.(config as never) ?? [])];
}
