/** Search for values that JSON can carry and the database can't store. Runs before any other check of an input. */

/** Levels of nesting that an input may have; no valid input needs as many. JSON.stringify and jsonb recurse per level. */
export const NESTING_MAX = 64;

/**
 * Returns the place of a text in `input`, keys included, that can't be stored (NUL, half a surrogate pair), or of a value
 * nested deeper than {@link NESTING_MAX}; undefined when there is none. Iterates, so that hostile nesting can't exhaust
 * the stack.
 */
export function findUnstorableText(input: unknown): { path: PropertyKey[]; message: string } | undefined {
  if (typeof input === "string") return isStorable(input) ? undefined : { path: [], message: UNSTORABLE };
  if (typeof input !== "object" || input === null) return undefined;
  const pending: { value: object; path: PropertyKey[] }[] = [{ value: input, path: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    if (path.length >= NESTING_MAX)
      return { path: path.slice(0, 1), message: `nested deeper than ${NESTING_MAX} levels` };
    const isList = Array.isArray(value);
    for (const name of Object.keys(value)) {
      if (!isList && !isStorable(name)) return { path, message: UNSTORABLE };
      const key = isList ? Number(name) : name;
      const item: unknown = (value as Record<PropertyKey, unknown>)[key];
      if (typeof item === "string") {
        if (!isStorable(item)) return { path: [...path, key], message: UNSTORABLE };
      } else if (typeof item === "object" && item !== null)
        pending.push({ value: item, path: [...path, key] });
    }
  }
  return undefined;
}

const UNSTORABLE = "contains a character that is not valid text (NUL or half a surrogate pair)";

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
