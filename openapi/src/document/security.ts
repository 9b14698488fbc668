/** The credentials that operations need. */
import { escapeSegment, isObject } from "./pointer.ts";
import type { References } from "./references.ts";
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

/** How a credential of a security scheme is sent, as far as the document says. */
export interface SpecScheme {
  /** Name that `security` refers to. */
  name: string;
  /** `apiKey`, `http`, `oauth2`, `openIdConnect`, `mutualTLS`; empty where the document describes no scheme of this name. */
  type: string;
  /** Of an `apiKey`: `header`, `query` or `cookie`, and the parameter's name there. */
  in?: string;
  parameter?: string;
  /** Of `http`: `bearer`, `basic`, ... in lower case. */
  scheme?: string;
}

/** Returns the schemes that these sets name, each once, as the document describes them. */
export function schemesOf(references: References, sets: readonly string[][]): SpecScheme[] {
  return [...new Set(sets.flat())].map((name) => {
    const found = references.resolve(`/components/securitySchemes/${escapeSegment(name)}`)?.value;
    const described = isObject(found) ? found : {};
    const position = storable(described.in);
    const parameter = storable(described.name);
    const scheme = storable(described.scheme)?.toLowerCase();
    return {
      name,
      type: storable(described.type) ?? "",
      ...(position !== undefined && { in: position }),
      ...(parameter !== undefined && { parameter }),
      ...(scheme !== undefined && { scheme }),
    };
  });
}
