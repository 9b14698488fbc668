/** The reader's own settings of the dashboard. They are kept in this browser, and apply in all its tabs. */
import { useSyncExternalStore } from "react";

/** Name under which the browser keeps the settings. `theme-early.js` reads it, too. */
const STORED_AS = "svc.preferences";

/** Colours of the pages; `system` follows the reader's machine. */
export type Theme = "system" | "light" | "dark";

/** The settings. */
export interface Preferences {
  /** Name of a zone in the IANA database; null: the zone of the browser. */
  readonly timeZone: string | null;
  readonly theme: Theme;
  /** Rows of lists are lower. */
  readonly isDense: boolean;
  /** Single keys, such as `r`, act. Keys with Ctrl or Cmd do anyway. */
  readonly hasSingleKeys: boolean;
}

const DEFAULTS: Preferences = { timeZone: null, theme: "system", isDense: false, hasSingleKeys: true };

let current = read();
const listeners = new Set<() => void>();

/** Returns the settings. */
export function preferences(): Preferences {
  return current;
}

/** Returns the settings, and renders anew when they change. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

/** Changes some settings. Where the browser keeps nothing, they hold until the page is left. */
export function prefer(changed: Partial<Preferences>): void {
  current = { ...current, ...changed };
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(current));
  } catch {
    // Storage is switched off.
  }
  apply();
}

/** Returns the zone in which times are shown. */
export function timeZone(): string {
  return current.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** True for a name that the browser knows as a time zone. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function apply(): void {
  const { dataset } = document.documentElement;
  dataset.theme = current.theme;
  dataset.density = current.isDense ? "dense" : "calm";
  for (const listener of listeners) listener();
}

/** Reads what the browser keeps. Whatever makes no sense is as if it were not there. */
function read(): Preferences {
  let stored: Partial<Record<keyof Preferences, unknown>> = {};
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? "{}");
    if (typeof parsed === "object" && parsed !== null) stored = parsed;
  } catch {
    // Storage is switched off, or holds what others left.
  }
  const { timeZone: zone, theme, isDense, hasSingleKeys } = stored;
  return {
    timeZone: typeof zone === "string" && isTimeZone(zone) ? zone : DEFAULTS.timeZone,
    theme: theme === "light" || theme === "dark" ? theme : DEFAULTS.theme,
    isDense: typeof isDense === "boolean" ? isDense : DEFAULTS.isDense,
    hasSingleKeys: typeof hasSingleKeys === "boolean" ? hasSingleKeys : DEFAULTS.hasSingleKeys,
  };
}

if (globalThis.window) {
  apply();
  window.addEventListener("storage", ({ key }) => {
    if (key !== STORED_AS) return;
    current = read();
    apply();
  });
}
