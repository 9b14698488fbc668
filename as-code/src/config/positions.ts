/** Positions of the config's values, by file, line and column, so that messages can point at them. */
import type { LineCounter } from "yaml";

/** A file of a config that was read. */
export interface SourceFile {
  /** Path as messages show it, relative to the working folder. */
  shownPath: string;
  /** Folder that relative paths in the file start from. */
  folder: string;
  text: string;
  lines: LineCounter;
}

/** A position in a file. */
export interface Position {
  file: SourceFile;
  /** Characters from the beginning of the file. */
  offset: number;
}

/** Positions of one entry of a map or list: of its key and of its value. */
export interface EntryPositions {
  key: Position;
  value: Position;
}

/** Steps from the root of the config to a value: keys of maps and indexes of lists. */
export type ConfigPath = readonly (string | number)[];

/** Positions of the entries of every map and list that was read, by the object that holds the entry. */
export class Positions {
  // Not a WeakMap: this lives as long as the config does, and every garbage collection would look at all of a weak map.
  readonly #entries = new Map<object, Map<string | number, EntryPositions>>();

  set(container: object, key: string | number, positions: EntryPositions): void {
    let entries = this.#entries.get(container);
    if (!entries) {
      entries = new Map();
      this.#entries.set(container, entries);
    }
    entries.set(key, positions);
  }

  entry(container: object, key: string | number): EntryPositions | undefined {
    return this.#entries.get(container)?.get(key);
  }

  /** Returns the position that `path` leads to from `root`, or that of the last step that exists. */
  find(root: unknown, path: ConfigPath): Position | undefined {
    let found: Position | undefined;
    let value = root;
    for (const step of path) {
      if (typeof value !== "object" || value === null) break;
      const entry = this.entry(value, step);
      if (!entry) break;
      found = typeof step === "number" ? entry.value : entry.key;
      value = (value as Record<string | number, unknown>)[step];
    }
    return found;
  }
}
