import { MISSING_REASONS } from "@svc/contract";
import { expect, it } from "vitest";
import {
  type MissingSlot,
  mayStillRun,
  missingReason,
  type Presence,
  REASON_DETAILS,
} from "./missing-reason.ts";

const DUE_MS = 1_000_000;
const slot = (overrides: Partial<MissingSlot> = {}): MissingSlot => ({
  locationKey: 1,
  slotMs: DUE_MS - 5_000,
  dueMs: DUE_MS,
  recordedReason: null,
  ...overrides,
});
const present = (fromMs: number, untilMs: number, overrides: Partial<Presence> = {}): Presence => ({
  locationKey: 1,
  fromMs,
  untilMs,
  capabilities: ["http"],
  breaks: [],
  ...overrides,
});

const HTTP = { type: "http", usesVault: false };

it.each([
  ["what was recorded goes first", slot({ recordedReason: "runner_oom" }), [], "runner_oom"],
  [
    "a recorded reason of a later version is not repeated blindly",
    slot({ recordedReason: "cosmic_ray" }),
    [],
    "no_runner",
  ],
  ["nobody ever", slot(), [], "no_runner"],
  ["gone a ms before it was due", slot(), [present(0, DUE_MS - 1)], "no_runner"],
  ["there until it was due", slot(), [present(0, DUE_MS)], "runner_lost"],
  ["there until a ms before its result was due", slot(), [present(0, DUE_MS + 39_999)], "runner_lost"],
  ["there until its result was due", slot(), [present(0, DUE_MS + 40_000)], "unknown"],
  [
    "there, and connected anew meanwhile, as after a restart of the service",
    slot(),
    [present(0, 2 * DUE_MS, { breaks: [[DUE_MS + 40_000, DUE_MS + 40_000]] })],
    "runner_lost",
  ],
  [
    "there, and connected anew after its result was due",
    slot(),
    [present(0, 2 * DUE_MS, { breaks: [[DUE_MS + 40_001, DUE_MS + 40_001]] })],
    "unknown",
  ],
  [
    "there, connected anew as it was due, and again long after",
    slot(),
    [
      present(0, 2 * DUE_MS, {
        breaks: [
          [DUE_MS, DUE_MS],
          [DUE_MS + 90_000, DUE_MS + 95_000],
        ],
      }),
    ],
    "unknown",
  ],
  [
    "there, connected anew just after it was due, and several times since",
    slot(),
    [
      present(0, 2 * DUE_MS, {
        breaks: [
          [DUE_MS - 90_000, DUE_MS - 90_000],
          [DUE_MS + 1, DUE_MS + 1],
          [DUE_MS + 90_000, DUE_MS + 90_000],
          [DUE_MS + 900_000, DUE_MS + 900_000],
        ],
      }),
    ],
    "runner_lost",
  ],
  [
    "there, and connected anew again and again from before until after",
    slot(),
    [present(0, 2 * DUE_MS, { breaks: [[DUE_MS - 90_000, DUE_MS + 90_000]] })],
    "runner_lost",
  ],
  ["two there, one of them lost", slot(), [present(0, 2 * DUE_MS), present(0, DUE_MS + 1)], "runner_lost"],
  [
    "two there, one of them gone within a lease before it was due",
    slot(),
    [present(0, 2 * DUE_MS), present(0, DUE_MS - 15_000)],
    "runner_lost",
  ],
  [
    "two there, one of them gone for longer than a lease when it was due",
    slot(),
    [present(0, 2 * DUE_MS), present(0, DUE_MS - 15_001)],
    "unknown",
  ],
  [
    "two there, one without the capability gone within a lease before it was due",
    slot(),
    [present(0, 2 * DUE_MS), present(0, DUE_MS - 1, { capabilities: ["mcp"] })],
    "unknown",
  ],
  ["came a ms after it was due", slot(), [present(DUE_MS + 1, DUE_MS + 60_000)], "no_runner"],
  ["there, at another location", slot(), [present(0, 2 * DUE_MS, { locationKey: 2 })], "no_runner"],
  [
    "there, without the capability",
    slot(),
    [present(0, 2 * DUE_MS, { capabilities: ["mcp"] })],
    "no_capable_runner",
  ],
  [
    "two there, one of them capable",
    slot(),
    [present(0, 2 * DUE_MS, { capabilities: ["mcp"] }), present(0, 2 * DUE_MS)],
    "unknown",
  ],
] as const)("%s", (_name, missing, presences, reason) => {
  expect(
    missingReason(missing, { needs: HTTP, presences, outages: [], runMsMax: 10_000, nowMs: 2 * DUE_MS }),
  ).toBe(reason);
});

it.each([
  ["none can open secrets", [present(0, 2 * DUE_MS)], "no_vault_runner"],
  [
    "one can open secrets, but not run the type",
    [present(0, 2 * DUE_MS, { capabilities: ["vault"] })],
    "no_capable_runner",
  ],
  [
    "one can do both",
    [present(0, 2 * DUE_MS), present(0, 2 * DUE_MS, { capabilities: ["http", "vault"] })],
    "unknown",
  ],
] as const)("of a check that refers to secrets: %s", (_name, presences, reason) => {
  const needs = { type: "http", usesVault: true };
  expect(missingReason(slot(), { needs, presences, outages: [], runMsMax: 10_000, nowMs: 2 * DUE_MS })).toBe(
    reason,
  );
});

it("a runner counts as lost only once its silence is longer than a lease", () => {
  const [endMs, presences] = [DUE_MS + 40_000, [present(0, DUE_MS + 30_000)]];
  const reasonAt = (nowMs: number) =>
    missingReason(slot(), { needs: HTTP, presences, outages: [], runMsMax: 10_000, nowMs });
  expect([reasonAt(endMs), reasonAt(DUE_MS + 45_000), reasonAt(DUE_MS + 45_001)]).toEqual([
    "unknown",
    "unknown",
    "runner_lost",
  ]);
});

it.each([
  [
    "from before it was due until its grace was over",
    DUE_MS - 60_000,
    DUE_MS + 30_000,
    "service_unavailable",
  ],
  [
    "from 5 s after until 5 s before its grace was over",
    DUE_MS + 5_000,
    DUE_MS + 25_000,
    "service_unavailable",
  ],
  ["from too long after", DUE_MS + 5_001, DUE_MS + 90_000, "unknown"],
  ["until runners still heard of it in time", DUE_MS - 60_000, DUE_MS + 24_999, "unknown"],
] as const)("the service without its database %s", (_name, fromMs, toMs, reason) => {
  const input = { needs: HTTP, outages: [{ fromMs, toMs }], runMsMax: 10_000, nowMs: 2 * DUE_MS };
  expect(missingReason(slot(), { ...input, presences: [present(0, 2 * DUE_MS)] })).toBe(reason);
  expect(missingReason(slot(), { ...input, presences: [] })).toBe("no_runner");
  expect(missingReason(slot(), { ...input, presences: [present(0, DUE_MS)] })).toBe("runner_lost");
});

const always = present(0, 2 * DUE_MS);
const OVER_MS = DUE_MS + 30_000 + 10_000;
it.each([
  ["within grace and run time", slot(), [always], OVER_MS - 1, true],
  ["grace and run time just over", slot(), [always], OVER_MS, false],
  ["nobody there to run it", slot(), [], OVER_MS - 1, false],
  ["given up by everyone", slot({ recordedReason: "runner_crash" }), [always], OVER_MS - 1, false],
  ["came as the grace ended", slot(), [present(DUE_MS + 30_000, 2 * DUE_MS)], OVER_MS - 1, true],
  ["came a ms too late", slot(), [present(DUE_MS + 30_001, 2 * DUE_MS)], OVER_MS - 1, false],
  [
    "there, without the capability",
    slot(),
    [present(0, 2 * DUE_MS, { capabilities: [] })],
    OVER_MS - 1,
    false,
  ],
] as const)("whether it may still run: %s", (_name, missing, presences, nowMs, expected) => {
  expect(mayStillRun(missing, { needs: HTTP, presences, runMsMax: 10_000, nowMs })).toBe(expected);
});

it("every reason has its sentence", () => {
  expect(Object.keys(REASON_DETAILS).sort()).toEqual([...MISSING_REASONS].sort());
});

it("a slot that was due at a retired location says so, and is not waited for", () => {
  const retired = { ...slot(), isAtRetired: true };
  const input = { needs: HTTP, presences: [], outages: [], runMsMax: 60_000, nowMs: retired.dueMs };
  expect(missingReason(retired, input)).toBe("location_retired");
  expect(mayStillRun(retired, input)).toBe(false);
});
