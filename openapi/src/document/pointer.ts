/** JSON pointers (RFC 6901) and the URI fragments that hold them. */

/** Returns a key as a pointer's segment. */
export function escapeSegment(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the keys that a pointer names. */
export function pointerKeys(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at `pointer`, undefined when there is none. Follows own keys only, so that no prototype is reached. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const key of pointerKeys(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/**
 * Returns the pointer in a fragment such as `#/paths/~1a%20b`; undefined when the fragment is an anchor or badly
 * encoded.
 */
export function pointerOfFragment(reference: string): string | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
