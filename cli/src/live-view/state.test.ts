import { describe, expect, it } from "vitest";
import type { MonitorStatus } from "../resources/status/read-status.ts";
import { keysOf } from "./keys.ts";
import { INITIAL, type LiveViewState, press, selectedIndex, visibleMonitors } from "./state.ts";

const NO_KEY = {
  upArrow: false,
  downArrow: false,
  return: false,
  escape: false,
  backspace: false,
  delete: false,
  ctrl: false,
};
const monitor = (name: string, more: Partial<MonitorStatus> = {}): MonitorStatus => ({
  id: `chk_${name}`,
  name,
  type: "http",
  status: "enabled",
  frequencySeconds: 60,
  health: "healthy",
  failingLocations: [],
  recent: [],
  ...more,
});
const LIST: LiveViewState = {
  ...INITIAL,
  monitors: ["alpha", "beta", "gamma", "delta"].map((name) => monitor(name)),
  readAtMs: 0,
};

/** Types a text, special keys as they come from a terminal. */
function typed(state: LiveViewState, ...texts: string[]) {
  const effects: string[] = [];
  let now = state;
  for (const text of texts)
    for (const key of keysOf(text, { ...NO_KEY, escape: text === "\u001b" })) {
      const { state: next, effect } = press(now, key);
      now = next;
      if (effect) effects.push(effect);
    }
  return { state: now, effects, selected: visibleMonitors(now)[selectedIndex(now)]?.name };
}

describe("keys", () => {
  it.each([
    ["keys that come fast, as one text", ["jjj"], "delta"],
    ["down stops at the last", ["jjjjjjjj"], "delta"],
    ["up stops at the first", ["jkkk"], "alpha"],
    ["a filter leaves those whose name contains it, in any case", ["/", "ET", "\r"], "beta"],
    ["backspace takes the filter's last character away", ["/xx\u007f\u007fmm\r"], "gamma"],
    ["escape clears the filter", ["/zzz", "\u001b"], "alpha"],
  ])("%s", (_title, texts, selected) => {
    expect(typed(LIST, ...texts).selected).toBe(selected);
  });

  it.each([
    ["q ends it", ["q"], ["quit"]],
    ["Ctrl+C ends it, while a filter is typed too", ["/a", "\u0003"], ["quit"]],
    ["q is a letter while a filter is typed", ["/q"], []],
    ["r reads anew", ["r"], ["refresh"]],
    ["Enter opens the selected one", ["\r"], ["open"]],
    ["in the detail r reads anew and q ends it", ["\r", "rq"], ["open", "refresh", "quit"]],
  ])("%s", (_title, texts, effects) => {
    expect(typed(LIST, ...texts).effects).toEqual(effects);
  });

  it("Enter opens the detail of the selected monitor, Esc leads back to it", () => {
    const open = typed(LIST, "j", "\r");
    expect([open.state.mode, open.state.selectedId]).toEqual(["detail", "chk_beta"]);
    const back = typed(open.state, "\u001b");
    expect([back.state.mode, back.selected]).toEqual(["list", "beta"]);
  });

  it("Enter in an empty list does nothing", () => {
    expect(typed({ ...INITIAL, readAtMs: 0 }, "jk\r").effects).toEqual([]);
  });

  it.each([
    ["arrows", { upArrow: true }, "", [{ name: "up" }]],
    ["Ctrl+C as a key", { ctrl: true }, "c", [{ name: "interrupt" }]],
    ["another Ctrl key is none", { ctrl: true }, "q", []],
    [
      "control characters in a pasted text are none",
      {},
      "a\u0001b",
      [..."ab"].map((char) => ({ name: "char", char })),
    ],
    ["a character beyond the first plane is one key", {}, "🚀", [{ name: "char", char: "🚀" }]],
  ])("%s", (_title, key, input, keys) => {
    expect(keysOf(input, { ...NO_KEY, ...key })).toEqual(keys);
  });
});

it("the selection stays with its monitor when others come and go", () => {
  const { state } = typed(LIST, "jj");
  const more = { ...state, monitors: [monitor("new", { health: "unhealthy" }), ...state.monitors.slice(1)] };
  expect(typed(more).selected).toBe("gamma");
  expect(typed({ ...more, monitors: [monitor("other")] }).selected).toBe("other");
});

it("unhealthy monitors come first, paused ones last", () => {
  const monitors = [
    monitor("paused", { status: "paused", health: "unhealthy" }),
    monitor("fine"),
    monitor("new", { health: "unknown" }),
    monitor("bad", { health: "unhealthy" }),
  ];
  expect(visibleMonitors({ ...LIST, monitors }).map(({ name }) => name)).toEqual([
    "bad",
    "new",
    "fine",
    "paused",
  ]);
});
