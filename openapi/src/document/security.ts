/** The credentials that operations need. */
import { isObject } from "./pointer.ts";
import { storable } from "./storable.ts";

/** Returns sets of scheme names, of which one set suffices; empty when the operation can be called without credentials. */
export function securityOf(
  document: Record<string, unknown>,
  operation: Record<string, unknown>,
): string[][] {
  const requirements = Array.isArray(operation.security)
    ? operation.security
    : Array.isArray(document.security)
      ? document.security
      : [];
  const sets = requirements
    .filter(isObject)
    .map((requirement) => Object.keys(requirement).map((name) => storable(name) ?? name));
  return sets.some((names) => names.length === 0) ? [] : sets;
}
