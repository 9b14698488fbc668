/** Values within a form's draft, by their path from its top. A draft is never changed; each change makes a new one. */

/** Path of a value: names of fields and numbers of list items. */
export type Path = readonly (string | number)[];

/** Returns the value at a path; undefined when there is none. */
export function valueAt(draft: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    draft,
  );
}

/** Returns the draft with another value at a path. Undefined takes a field away; objects on the way are made. */
export function withValueAt(draft: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list = Array.isArray(draft) ? [...draft] : [];
    list[key] = withValueAt(list[key], rest, value);
    return list;
  }
  const fields: Record<string, unknown> = isRecord(draft) ? { ...draft } : {};
  const next = withValueAt(fields[key], rest, value);
  if (next === undefined) delete fields[key];
  else fields[key] = next;
  return fields;
}

/** Returns a path as messages write it: `httpConfig.assertions[0].value`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

/** Returns the path that {@link pathText} wrote. */
export function pathOfText(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name as string) : Number(index),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
