/** Finds entries of the command palette by the words of a text. Pure. */

/** Headings of entries, in their order. */
export const paletteGroups = [
  "Recent",
  "Go to",
  "Checks",
  "Incidents",
  "Alerts",
  "This page",
  "Pages",
  "Settings",
] as const;

/** Something that the palette can open or do. */
export interface PaletteEntry {
  /** Names the entry among all. */
  readonly key: string;
  readonly group: (typeof paletteGroups)[number];
  readonly text: string;
  /** Shown behind the text, and searched, too. */
  readonly hint?: string;
  /** A path to open, or something to do. */
  readonly does: string | (() => void);
}

/** Entries that a heading shows at most. */
const GROUP_MAX = 12;

/** Path of the page of a pasted id, by the id's beginning. */
const PATHS_OF_IDS: readonly (readonly [prefix: string, path: string])[] = [
  ["chk_", "/checks/"],
  ["ainst_", "/alerts/"],
  ["inc_", "/incidents/"],
  ["slo_", "/slos/"],
];

/**
 * Returns the entries with all words of a text, best first within their heading: the text's beginning, then a word's beginning. For an
 * empty text those that were chosen lately, then what the page does, pages and settings. A pasted id leads to its page.
 * @param recent keys of chosen entries, newest first
 */
export function foundEntries(
  entries: readonly PaletteEntry[],
  text: string,
  recent: readonly string[],
): PaletteEntry[] {
  const typed = text.trim().toLowerCase();
  if (typed === "") {
    const lately = recent.flatMap((key) => entries.filter((entry) => entry.key === key));
    const others = entries.filter(({ group }) => ["This page", "Pages", "Settings"].includes(group));
    return [...lately.map((entry) => ({ ...entry, group: "Recent" as const })), ...inGroups(others)];
  }
  const words = typed.split(/\s+/);
  const found = entries
    .flatMap((entry) => {
      const searched = `${entry.text} ${entry.hint ?? ""}`.toLowerCase();
      if (!words.every((word) => searched.includes(word))) return [];
      const rank = searched.startsWith(typed) ? 0 : words.every((word) => beginsWord(searched, word)) ? 1 : 2;
      return [{ entry, rank, lately: recent.indexOf(entry.key) >>> 0 }];
    })
    .sort((a, b) => a.rank - b.rank || a.lately - b.lately)
    .map(({ entry }) => entry);
  return [...entryOfId(text.trim()), ...inGroups(found)];
}

const beginsWord = (searched: string, word: string) =>
  searched.startsWith(word) || searched.includes(` ${word}`);

function inGroups(entries: readonly PaletteEntry[]): PaletteEntry[] {
  return paletteGroups.flatMap((group) =>
    entries.filter((entry) => entry.group === group).slice(0, GROUP_MAX),
  );
}

function entryOfId(id: string): PaletteEntry[] {
  const path = PATHS_OF_IDS.find(([prefix]) => id.startsWith(prefix))?.[1];
  if (path === undefined || !/^\w+$/.test(id)) return [];
  return [{ key: id, group: "Go to", text: id, does: `${path}${id}` }];
}
