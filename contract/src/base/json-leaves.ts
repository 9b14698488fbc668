/** The values of a JSON text by their paths. Pure. */
import { NESTING_MAX } from "./unstorable-text.ts";

/** Values that are looked at. */
const LEAVES_MAX = 5_000;

/** A value that holds no others, and its path as assertions write it. */
interface JsonLeaf {
  path: string;
  value: string | number | boolean | null;
}

/** Returns the values of a JSON text, at most 5,000, in its order; none when it is no JSON or has one value only. */
export function jsonLeaves(text: string): JsonLeaf[] {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return [];
  }
  const leaves: JsonLeaf[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (leaves.length >= LEAVES_MAX || depth > NESTING_MAX) return;
    if (typeof value !== "object" || value === null) {
      if (path !== "") leaves.push({ path, value: value as JsonLeaf["value"] });
    } else if (Array.isArray(value))
      for (const [index, item] of value.entries()) visit(item, `${path || "$"}[${index}]`, depth + 1);
    else for (const [key, item] of Object.entries(value)) visit(item, pathTo(path, key), depth + 1);
  };
  visit(root, "", 0);
  return leaves;
}

/** Returns the path to a member of the object at a path. */
function pathTo(path: string, key: string): string {
  if (/^[A-Za-z_][\w]*$/.test(key)) return path === "" ? key : `${path}.${key}`;
  return `${path || "$"}[${JSON.stringify(key)}]`;
}
