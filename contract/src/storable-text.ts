/** What JSON can carry and a database can't: found before anything else looks at the input. */

/** Deeper than any document of ours; JSON.stringify and jsonb recurse, so depth is their stack. */
export const NESTING_MAX = 64;

/**
 * The first text in `input` that can't be stored (NUL, half a surrogate pair), keys included, or the first value nested
 * deeper than {@link NESTING_MAX}; undefined when there is none. Iterative: hostile nesting can't exhaust the stack.
 */
export function unstorableText(input: unknown): { path: PropertyKey[]; message: string } | undefined {
  const pending: { value: unknown; path: PropertyKey[] }[] = [{ value: input, path: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === "string") {
      if (!isStorable(value)) return { path, message: UNSTORABLE };
    } else if (typeof value === "object" && value !== null) {
      if (path.length >= NESTING_MAX)
        return { path: path.slice(0, 1), message: `nested deeper than ${NESTING_MAX} levels` };
      const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
      for (const [key, item] of entries) {
        if (typeof key === "string" && !isStorable(key)) return { path, message: UNSTORABLE };
        if (typeof item === "string" || typeof item === "object")
          pending.push({ value: item, path: [...path, key] });
      }
    }
  }
  return undefined;
}

const UNSTORABLE = "contains a character that is not valid text (NUL or half a surrogate pair)";

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
