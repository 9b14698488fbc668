/** Where in which file a value of the config stands, so that a message can point at it. */
import type { LineCounter } from "yaml";

export interface SourceFile {
  /** As messages show it: relative to the working folder. */
  shownPath: string;
  /** Folder that relative paths in it begin at. */
  folder: string;
  text: string;
  lines: LineCounter;
}

export interface Place {
  file: SourceFile;
  /** Characters from the file's beginning. */
  offset: number;
}

/** Something wrong with the config. */
export interface Problem {
  /** Path within the config, e.g. `monitors[3].url`; empty when it is about a file. */
  path: string;
  message: string;
  file: string;
  /** From 1; absent when the whole file is meant. */
  line?: number;
  column?: number;
}

export type ConfigPath = readonly (string | number)[];

/** Places of the entries of every object and list that was read. */
export class Places {
  // Not weak: it lives as long as the config does, and every collection of garbage would look at all of a weak map.
  readonly #entries = new Map<object, Map<string | number, { key: Place; value: Place }>>();

  set(container: object, key: string | number, places: { key: Place; value: Place }): void {
    let entries = this.#entries.get(container);
    if (!entries) {
      entries = new Map();
      this.#entries.set(container, entries);
    }
    entries.set(key, places);
  }

  entry(container: object, key: string | number): { key: Place; value: Place } | undefined {
    return this.#entries.get(container)?.get(key);
  }

  /** The place of what `path` leads to from `root`, or of the last part of it that exists. */
  find(root: unknown, path: ConfigPath): Place | undefined {
    let found: Place | undefined;
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

export function problemAt(place: Place | undefined, path: ConfigPath, message: string, file = ""): Problem {
  const shown = pathText(path);
  if (!place) return { path: shown, message, file };
  const { line, col } = place.file.lines.linePos(place.offset);
  return { path: shown, message, file: place.file.shownPath, line, column: col };
}

/** `monitors[3].headers.X-Id` */
export function pathText(path: ConfigPath): string {
  return path
    .map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join("");
}

/** `svc.config.yaml:12:5: monitors[3].url: required` */
export function problemLine({ file, line, column, path, message }: Problem): string {
  const where = line === undefined ? file : `${file}:${line}:${column}`;
  return [where, path, message].filter((part) => part !== "").join(": ");
}
