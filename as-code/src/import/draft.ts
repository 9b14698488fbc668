/**
 * Collects what a source finds in an export: monitors and channels in our terms, not validated yet, and notes about all that is
 * carried over otherwise or not at all. Variables of the other tool, and secrets that stand within a text, are stood in for by a text
 * that is valid wherever one may stand; the config gets a placeholder in its place.
 */
import { maskUrlsIn, oneLine, REDACTED, truncate } from "@svc/contract";
import type { Item, Origin } from "./item.ts";

/** A remark about one part of an export. */
export interface ImportNote extends Origin {
  /** Name of the monitor that the part belongs to. */
  monitor: string | null;
  /** `left_out`: the config has nothing of it. `changed`: the config says something that is not quite equal. */
  effect: "left_out" | "changed";
  message: string;
}

/** An alert rule, with the keys of its channels in the draft. */
export interface DraftAlert {
  name?: string;
  conditions: readonly Readonly<Record<string, unknown>>[];
  channels: readonly string[];
  recovery?: { consecutiveSuccesses: number };
  item: Item;
}

/** A monitor as a source describes it. Only name, type and configuration are required. */
export interface DraftMonitor {
  item: Item;
  name: string;
  /** A name to fall back to when another monitor has this one. */
  longName?: string | undefined;
  /** Name of a check type, which svc need not have. */
  type: string;
  config: Readonly<Record<string, unknown>>;
  frequencySeconds?: number | undefined;
  /** Names of the other tool's locations. */
  regions?: readonly string[];
  enabled?: boolean;
  /** Tags of the other tool, in any form. */
  labels?: readonly string[];
  retry?: Readonly<Record<string, unknown>> | null;
  alerts?: readonly DraftAlert[];
}

/** A notification channel as a source describes it. */
export interface DraftChannel {
  item: Item;
  name: string;
  config: Readonly<Record<string, unknown>>;
}

/** Most notes that are kept; a longer list is read by nobody. */
const NOTES_MAX = 10_000;
const MESSAGE_CHARACTERS_MAX = 500;

/** Matches the stand-in of a variable, captured as a whole. */
export const STAND_IN = /(https:\/\/\w+\.variable\.invalid)/;

/** True when a variable is stood in for within the text. */
export function hasStandIn(text: string): boolean {
  return STAND_IN.test(text);
}

/** Returns the name of a variable that is made of the words of a text. */
export function variableName(text: string): string {
  const name =
    text
      .slice(0, 1_000)
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_")
      .replace(/^_+/, "")
      .slice(0, 100)
      .replace(/_+$/, "") || "SECRET";
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Returns a text in which the credentials of URLs are blotted out: names and notes are read by anyone. */
export function withoutCredentials(text: string): string {
  return maskUrlsIn(text).replaceAll(REDACTED, "***");
}

/** The collection of one import. */
export class ImportDraft {
  readonly monitors: DraftMonitor[] = [];
  /** Channels by the other tool's key. */
  readonly channels = new Map<string, DraftChannel>();
  readonly notes: ImportNote[] = [];
  /** Stand-in by the name of the variable. */
  readonly standIns = new Map<string, string>();
  /** Monitors that are not carried over at all, which the config names in a comment. */
  readonly missing: { name: string; path: string; reason: string }[] = [];
  #omittedNotes = 0;

  /** Number of notes beyond those that are kept. */
  get omittedNotes(): number {
    return this.#omittedNotes;
  }

  /** Notes that a part, with all that is in it, is not carried over. @param monitor the monitor that it belongs to */
  leftOut(item: Item, message: string, monitor: string | null = null): void {
    item.settle();
    this.partLeftOut(item, message, monitor);
  }

  /** Notes that something of a part is not carried over, while the rest of it is. */
  partLeftOut(item: Item, message: string, monitor: string | null = null): void {
    this.#note({ ...item.origin, monitor, effect: "left_out", message });
  }

  /** Notes that a part is carried over otherwise than it was. */
  changed(item: Item, message: string, monitor: string | null = null): void {
    this.#note({ ...item.origin, monitor, effect: "changed", message });
  }

  /** Notes that a whole monitor is not carried over. */
  missingMonitor(item: Item, name: string, reason: string): void {
    this.missing.push({
      name: withoutCredentials(name),
      path: item.origin.path,
      reason: withoutCredentials(reason),
    });
    this.leftOut(item, reason, name);
  }

  /** Returns a text that stands for the variable of this name, which becomes `{{secrets.NAME}}` in the config. */
  variable(name: string): string {
    const standIn = `https://${name}.variable.invalid`;
    this.standIns.set(name, standIn);
    return standIn;
  }

  /** Returns a text that stands for a secret. @param about words for its name: the monitor, the field */
  secret(...about: string[]): string {
    const wanted = variableName(about.join("_"));
    let name = wanted;
    for (let i = 2; this.standIns.has(name); i++) name = `${wanted}_${i}`;
    return this.variable(name);
  }

  #note({ message, monitor, ...note }: ImportNote): void {
    if (this.notes.length >= NOTES_MAX) this.#omittedNotes++;
    else
      this.notes.push({
        ...note,
        monitor: monitor === null ? null : truncate(withoutCredentials(oneLine(monitor)), 255),
        message: truncate(withoutCredentials(oneLine(message)), MESSAGE_CHARACTERS_MAX),
      });
  }
}
