/** The directory layout's files as one config: lists are joined, maps must not overlap, what may be said once is said once. */
import type { LoadedConfig } from "./load-config.ts";
import { type Problem, problemAt } from "./positions.ts";

const LISTS = ["monitors", "groups", "slos"] as const;
const ONCE = ["project", "defaults"] as const;

/** @returns the config as the single file would hold it; what is no map is left to the schema */
export function mergeParts({ parts, places }: LoadedConfig): {
  root: Record<string, unknown>;
  problems: Problem[];
} {
  const root: Record<string, unknown> = {};
  const problems: Problem[] = [];
  const put = (
    target: Record<string, unknown>,
    from: object,
    key: string,
    value: unknown,
    path: string[],
  ) => {
    const entry = places.entry(from, key);
    if (Object.hasOwn(target, key)) {
      const first = places.entry(target, key);
      const elsewhere = first ? ` (also in ${first.key.file.shownPath})` : "";
      problems.push(problemAt(entry?.key, path, `is there twice${elsewhere}`));
      return;
    }
    target[key] = value;
    if (entry) places.set(target, key, entry);
  };
  for (const { value } of parts) {
    if (!isMap(value)) continue;
    for (const key of ONCE) if (key in value) put(root, value, key, value[key], [key]);
    for (const key of LISTS) joinLists(root, value, key);
    if (isMap(value.alertChannels)) {
      if (!isMap(root.alertChannels)) begin(root, value, "alertChannels", {});
      const channels = root.alertChannels as Record<string, unknown>;
      for (const [name, channel] of Object.entries(value.alertChannels))
        put(channels, value.alertChannels, name, channel, ["alertChannels", name]);
    }
  }
  return { root, problems };

  /** The whole has the place of its first part: whatever is in it is found by way of it. */
  function begin(target: Record<string, unknown>, part: object, key: string, empty: object): void {
    target[key] = empty;
    const entry = places.entry(part, key);
    if (entry) places.set(target, key, entry);
  }

  function joinLists(target: Record<string, unknown>, part: Record<string, unknown>, key: string): void {
    const items = part[key];
    if (!Array.isArray(items)) return;
    if (!Array.isArray(target[key])) begin(target, part, key, []);
    const joined = target[key] as unknown[];
    for (const [i, item] of items.entries()) {
      const entry = places.entry(items, i);
      if (entry) places.set(joined, joined.length, entry);
      joined.push(item);
    }
  }
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
