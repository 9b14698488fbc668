/** The state of the full-screen view, and how a key changes it. Pure. */
import type { Check, Result } from "@svc/contract";
import type { MonitorStatus } from "../resources/status/read-status.ts";

interface Detail {
  check: Check;
  results: readonly Result[];
}

/** The content of the view. */
export interface LiveViewState {
  monitors: readonly MonitorStatus[];
  /** Unix ms of the last answer; undefined before the first. */
  readAtMs: number | undefined;
  /** Why the newest reading failed; the view then shows older answers. */
  problem: string | undefined;
  mode: "list" | "filter" | "detail";
  filter: string;
  /** The selection stays with its monitor when the list changes. */
  selectedId: string | undefined;
  /** Details of the selected monitor, once they were read. */
  detail: Detail | undefined;
  /** Lines of the detail above those that are shown; the view stops at its end. */
  scrolled: number;
}

/** A key that was pressed: a named one, or a character. */
export type Key =
  | { name: "up" | "down" | "enter" | "escape" | "backspace" | "interrupt" }
  | { name: "char"; char: string };

/** Work to do besides showing the new state. */
export type Effect = "quit" | "refresh" | "open";

/** The state before the first answer of the service. */
export const INITIAL: LiveViewState = {
  monitors: [],
  readAtMs: undefined,
  problem: undefined,
  mode: "list",
  filter: "",
  selectedId: undefined,
  detail: undefined,
  scrolled: 0,
};

/** Most lines of a detail. */
const SCROLLED_MAX = 100;

/** Returns the monitors that pass the filter, unhealthy ones first. */
export function visibleMonitors({ monitors, filter }: LiveViewState): readonly MonitorStatus[] {
  const wanted = filter.toLowerCase();
  return monitors
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => rank(a) - rank(b));
}

function rank({ status, health }: MonitorStatus): number {
  if (status === "paused") return 3;
  return health === "unhealthy" ? 0 : health === "healthy" ? 2 : 1;
}

/** Returns the index of the selected monitor: 0 while none was chosen, or when the chosen one is not visible. */
export function selectedIndex(state: LiveViewState, visible = visibleMonitors(state)): number {
  return Math.max(
    0,
    visible.findIndex(({ id }) => id === state.selectedId),
  );
}

/** Applies one key. */
export function press(state: LiveViewState, key: Key): { state: LiveViewState; effect?: Effect } {
  if (key.name === "interrupt") return { state, effect: "quit" };
  if (state.mode === "filter") return { state: pressInFilter(state, key) };
  if (key.name === "char" && key.char === "q") return { state, effect: "quit" };
  if (key.name === "char" && key.char === "r") return { state, effect: "refresh" };
  if (state.mode === "detail") return { state: pressInDetail(state, key) };
  return pressInList(state, key);
}

function pressInList(state: LiveViewState, key: Key): { state: LiveViewState; effect?: Effect } {
  const by = directionOf(key);
  if (by !== 0) return { state: moved(state, by) };
  if (key.name === "char" && key.char === "/") return { state: { ...state, mode: "filter" } };
  if (key.name === "escape") return { state: { ...state, filter: "" } };
  const visible = visibleMonitors(state);
  const chosen = visible[selectedIndex(state, visible)];
  if (key.name !== "enter" || !chosen) return { state };
  return {
    state: { ...state, mode: "detail", selectedId: chosen.id, detail: undefined, scrolled: 0 },
    effect: "open",
  };
}

function pressInDetail(state: LiveViewState, key: Key): LiveViewState {
  if (key.name === "escape") return { ...state, mode: "list", detail: undefined };
  const scrolled = Math.min(SCROLLED_MAX, Math.max(0, state.scrolled + directionOf(key)));
  return { ...state, scrolled };
}

function directionOf(key: Key): -1 | 0 | 1 {
  const letter = key.name === "char" ? key.char : undefined;
  if (key.name === "up" || letter === "k") return -1;
  return key.name === "down" || letter === "j" ? 1 : 0;
}

function pressInFilter(state: LiveViewState, key: Key): LiveViewState {
  if (key.name === "enter") return { ...state, mode: "list" };
  if (key.name === "escape") return { ...state, mode: "list", filter: "" };
  if (key.name === "backspace") return { ...state, filter: [...state.filter].slice(0, -1).join("") };
  return key.name === "char" ? { ...state, filter: state.filter + key.char } : state;
}

function moved(state: LiveViewState, by: number): LiveViewState {
  const visible = visibleMonitors(state);
  const index = Math.min(visible.length - 1, Math.max(0, selectedIndex(state, visible) + by));
  return { ...state, selectedId: visible[index]?.id };
}
