import { expect, it } from "vitest";
import { firstHeartbeat } from "./first-heartbeat.ts";

const keyCreatedAt = "2026-11-23T12:00:00.000Z";
const runner = (id: string, other = {}) => ({
  id,
  hostname: id,
  status: "online" as const,
  lastHeartbeat: "2026-11-23T12:00:12.000Z",
  ...other,
});
const before = new Set(["old"]);

it.each([
  ["a new runner", [runner("old"), runner("office-1")], { hostname: "office-1", afterMs: 12_000 }],
  ["one that was connected before", [runner("old")], undefined],
  ["one that was lost again", [runner("a", { status: "offline" })], undefined],
  [
    "one that sent its heartbeat before",
    [runner("a", { lastHeartbeat: "2026-11-23T11:59:59.000Z" })],
    undefined,
  ],
  ["one without a heartbeat", [runner("a", { lastHeartbeat: null })], undefined],
  ["none", [], undefined],
])("%s", (_name, runners, found) => {
  expect(firstHeartbeat(runners, { before, keyCreatedAt })).toEqual(found);
});
