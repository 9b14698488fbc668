/**
 * Merges the files of the directory layout into one config: lists are joined, maps must not overlap, other fields are
 * given once.
 */
import { isObject } from "@svc/contract";
import type { LoadedConfig } from "./loaded-config.ts";
import type { ConfigPath, Positions } from "./positions.ts";
import { type Problem, problemAt } from "./problem.ts";

const LIST_FIELDS = [
  "monitors",
  "groups",
  "thirdPartyPatterns",
  "slos",
  "alertPolicies",
  "rotas",
  "statusPages",
] as const;
const SINGLE_FIELDS = ["project", "renamedFrom", "defaults", "incidentPolicy"] as const;

type Fields = Record<string, unknown>;

/**
 * Returns the config as the single file would hold it. Parts that are no map are left to the schema, which refuses them.
 */
export function mergeParts({ parts, positions }: Pick<LoadedConfig, "parts" | "positions">): {
  root: Fields;
  problems: Problem[];
} {
  const merger = new PartMerger(positions);
  for (const { value } of parts) if (isObject(value)) merger.add(value);
  return { root: merger.root, problems: merger.problems };
}

/** Builds the whole part by part, and keeps the positions of everything that it takes over. */
class PartMerger {
  readonly root: Fields = {};
  readonly problems: Problem[] = [];
  readonly #positions: Positions;

  constructor(positions: Positions) {
    this.#positions = positions;
  }

  add(part: Fields): void {
    for (const key of SINGLE_FIELDS) if (key in part) this.#put(this.root, part, [key]);
    for (const key of LIST_FIELDS) this.#joinList(part, key);
    const { alertChannels } = part;
    if (!isObject(alertChannels)) return;
    const channels = this.#begin(part, "alertChannels", {});
    for (const name of Object.keys(alertChannels))
      this.#put(channels, alertChannels, ["alertChannels", name]);
  }

  /** Takes the entry that `path` ends with over from `source`; one that is there already is a problem. */
  #put(target: Fields, source: Fields, path: ConfigPath): void {
    const key = String(path.at(-1));
    const entry = this.#positions.entry(source, key);
    if (Object.hasOwn(target, key)) {
      const first = this.#positions.entry(target, key);
      const elsewhere = first ? ` (also in ${first.key.file.shownPath})` : "";
      this.problems.push(problemAt(entry?.key, path, `is there twice${elsewhere}`));
      return;
    }
    target[key] = source[key];
    if (entry) this.#positions.set(target, key, entry);
  }

  #joinList(part: Fields, key: string): void {
    const items = part[key];
    if (!Array.isArray(items)) return;
    const joined = this.#begin<unknown[]>(part, key, []);
    for (const [i, item] of items.entries()) {
      const entry = this.#positions.entry(items, i);
      if (entry) this.#positions.set(joined, joined.length, entry);
      joined.push(item);
    }
  }

  /**
   * Returns the root's field, begun empty by the first part that has it. The field has the position of that part's,
   * since positions of the values within are found by way of it.
   */
  #begin<Value extends object>(part: Fields, key: string, empty: Value): Value {
    if (!Object.hasOwn(this.root, key)) {
      this.root[key] = empty;
      const entry = this.#positions.entry(part, key);
      if (entry) this.#positions.set(this.root, key, entry);
    }
    return this.root[key] as Value;
  }
}
