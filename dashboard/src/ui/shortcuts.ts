/** Keys that act on a page. A page names its own ones while it is open; the dialog of all keys and the palette read them from here. */
import { useEffect, useRef } from "react";
import { preferences } from "../preferences/preferences.ts";

/** Time within which the second key of two must follow. */
const SEQUENCE_MS = 1_000;

/** A shortcut. */
export interface Shortcut {
  /** A key as `KeyboardEvent.key` names it (`r`, `?`, `X` for Shift and x), two with a space between, or `Mod+k` for Ctrl or Cmd and k. */
  readonly keys: string;
  readonly label: string;
  /** Heading under which it is listed. */
  readonly group: ShortcutGroup;
  readonly act: () => void;
}

/** Headings of shortcuts, in the order of the dialog. */
export const shortcutGroups = ["Everywhere", "Go to", "This page"] as const;
/** Heading of a shortcut. */
type ShortcutGroup = (typeof shortcutGroups)[number];

const registered: Shortcut[] = [];
let first: { key: string; atMs: number } | undefined;

/** Returns the shortcuts of the page that is open. */
export function shortcuts(): readonly Shortcut[] {
  return registered;
}

/** Makes a key act while the caller is rendered. Of two with one key the newer acts. @param isOn false: the key does nothing now */
export function useShortcut({ keys, label, group, act }: Shortcut, isOn = true): void {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    if (!isOn) return;
    const shortcut: Shortcut = { keys, label, group, act: () => newest.current() };
    registered.push(shortcut);
    return () => void registered.splice(registered.indexOf(shortcut), 1);
  }, [keys, label, group, isOn]);
}

/** Listens to the keys of the page. @returns a function that ends it */
export function listenToShortcuts(target: Window): () => void {
  const press = (event: KeyboardEvent) => {
    const shortcut = shortcutOf(event);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.act();
  };
  target.addEventListener("keydown", press);
  return () => target.removeEventListener("keydown", press);
}

/** Returns the shortcut that a key press means. */
function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  const { key, ctrlKey, metaKey, altKey, repeat, defaultPrevented, timeStamp } = event;
  if (defaultPrevented || altKey || isModifier(key)) return undefined;
  const find = (keys: string) => registered.findLast((one) => one.keys === keys);
  if (ctrlKey || metaKey) return find(`Mod+${key.toLowerCase()}`);
  if (repeat || !preferences().hasSingleKeys || isTyping(event) || document.querySelector("dialog[open]"))
    return undefined;
  const before = first && timeStamp - first.atMs <= SEQUENCE_MS ? first.key : undefined;
  first = undefined;
  const both = before === undefined ? undefined : find(`${before} ${key}`);
  if (both) return both;
  if (registered.some(({ keys }) => keys.startsWith(`${key} `))) first = { key, atMs: timeStamp };
  return find(key);
}

const isModifier = (key: string) => ["Shift", "Control", "Meta", "Alt"].includes(key);

/** True where a key press writes, chooses or opens something already. */
function isTyping(event: KeyboardEvent): boolean {
  // The element itself, also where it stands in a shadow tree.
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("input:not([type=checkbox]), textarea, select, [role^=menuitem]"))
  );
}

/** Returns the keys as a reader knows them: `Ctrl K`, `g then c`. */
export function keysText(keys: string): string {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  if (keys.startsWith("Mod+")) return `${isMac ? "⌘" : "Ctrl"} ${keys.slice(4).toUpperCase()}`;
  return keys
    .split(" ")
    .map((key) => (/^[A-Z]$/.test(key) ? `Shift ${key.toLowerCase()}` : key))
    .join(" then ");
}
