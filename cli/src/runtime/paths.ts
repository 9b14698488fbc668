/** Paths as they are shown and written: with slashes on every system, so that output, plans and annotations are alike everywhere. */
import hostPath, { type PlatformPath } from "node:path";

/**
 * Returns the path of `to` as seen from a folder, with slashes.
 * @param path the system's own rules; tests hand in those of another one
 */
export function shownPath(
  from: string,
  to: string,
  path: Pick<PlatformPath, "relative" | "sep"> = hostPath,
): string {
  return withSlashes(path.relative(from, to), path);
}

/** Returns a path with slashes instead of the system's own separators. */
export function withSlashes(text: string, { sep }: Pick<PlatformPath, "sep"> = hostPath): string {
  return text.split(sep).join("/");
}
