/** What was chosen in the palette lately. It is forgotten with the tab, and when the person signs out. */

const STORED_AS = "svc.recent";
const KEPT_MAX = 6;

/** Returns the keys of the entries, newest first. */
export function recentKeys(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED_AS) ?? "[]");
    return Array.isArray(stored) ? stored.filter((key) => typeof key === "string") : [];
  } catch {
    return [];
  }
}

/** Notes that an entry was chosen. */
export function noteChosen(key: string): void {
  try {
    const keys = [key, ...recentKeys().filter((one) => one !== key)].slice(0, KEPT_MAX);
    sessionStorage.setItem(STORED_AS, JSON.stringify(keys));
  } catch {
    // Storage is switched off: nothing is recent.
  }
}

/** Forgets all of them. */
export function forgetChosen(): void {
  try {
    sessionStorage.removeItem(STORED_AS);
  } catch {
    // Nothing was kept.
  }
}
