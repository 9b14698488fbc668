/** Which credentials an operation asks for. */
import { isObject } from "./pointer.ts";
import { storable } from "./storable.ts";

/** Sets of scheme names of which one suffices; empty when the operation can be called without any. */
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
