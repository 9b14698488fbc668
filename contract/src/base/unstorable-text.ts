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
  const pending: Nested[] = [{ value: input, level: 0, key: "", parent: undefined }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.level >= NESTING_MAX)
      return { path: pathOf(next).slice(0, 1), message: `nested deeper than ${NESTING_MAX} levels` };
    const problem = Array.isArray(next.value) ? addItems(next, pending) : addFields(next, pending);
    if (problem) return { path: problem, message: UNSTORABLE };
  }
  return undefined;
}

/** A list or an object, and its place in the outer value. Paths are put together only for a message. */
interface Nested {
  value: object;
  level: number;
  key: PropertyKey;
  parent: Nested | undefined;
}

/** Adds the nested values of a list. Returns the path of a text that can't be stored. */
function addItems(parent: Nested, pending: Nested[]): PropertyKey[] | undefined {
  const items = parent.value as unknown[];
  for (let key = 0; key < items.length; key++) {
    const value = items[key];
    if (typeof value === "string") {
      if (!isStorable(value)) return [...pathOf(parent), key];
    } else if (typeof value === "object" && value !== null)
      pending.push({ value, level: parent.level + 1, key, parent });
  }
  return undefined;
}

/** Adds the nested values of an object. Returns the path of a text or of the name of a field that can't be stored. */
function addFields(parent: Nested, pending: Nested[]): PropertyKey[] | undefined {
  for (const [key, value] of Object.entries(parent.value)) {
    if (!isStorable(key)) return pathOf(parent);
    if (typeof value === "string") {
      if (!isStorable(value)) return [...pathOf(parent), key];
    } else if (typeof value === "object" && value !== null)
      pending.push({ value, level: parent.level + 1, key, parent });
  }
  return undefined;
}

function pathOf(nested: Nested): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (let at = nested; at.parent; at = at.parent) path.unshift(at.key);
  return path;
}

const UNSTORABLE = "contains a character that is not valid text (NUL or half a surrogate pair)";

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
