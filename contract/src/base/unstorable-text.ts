/** What JSON can carry and a database can't: found before anything else looks at the input. */

/** Deeper than any document of ours; JSON.stringify and jsonb recurse, so depth is their stack. */
export const NESTING_MAX = 64;

/**
 * The first text in `input` that can't be stored (NUL, half a surrogate pair), keys included, or the first value nested
 * deeper than {@link NESTING_MAX}; undefined when there is none. Iterative: hostile nesting can't exhaust the stack.
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
