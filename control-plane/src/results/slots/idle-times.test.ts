import { expect, it } from "vitest";
import { idleTimes } from "./idle-times.ts";

const schedule = (effectiveFromMs: number, effectiveUntilMs: number | null, enabled: boolean) => ({
  frequencySeconds: 60,
  locationKeys: [1],
  enabled,
  effectiveFromMs,
  effectiveUntilMs,
});
const range = { fromMs: 100, toMs: 200 };

it.each([
  ["an enabled check is never idle", 0, [schedule(0, null, true)], [], []],
  ["before its creation there was no check", 130, [schedule(130, null, true)], [], [[100, 130, "not_yet"]]],
  [
    "a disabled check is idle up to the end",
    0,
    [schedule(0, 150, true), schedule(150, null, false)],
    [],
    [[150, 200, "disabled"]],
  ],
  [
    "a window in it is distinguished",
    0,
    [schedule(0, null, false)],
    [
      { fromMs: 90, toMs: 120 },
      { fromMs: 140, toMs: 160 },
    ],
    [
      [100, 120, "maintenance"],
      [120, 140, "disabled"],
      [140, 160, "maintenance"],
      [160, 200, "disabled"],
    ],
  ],
  [
    "a window without a stop of the schedule is none",
    0,
    [schedule(0, null, true)],
    [{ fromMs: 0, toMs: 500 }],
    [],
  ],
] as const)("%s", (_title, createdAtMs, schedules, pauses, expected) => {
  const idle = idleTimes(range, { createdAtMs, schedules, pauses });
  expect(idle.map(({ fromMs, toMs, reason }) => [fromMs, toMs, reason])).toEqual(expected);
});
