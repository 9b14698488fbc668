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
  connectedAtMs: fromMs,
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
    [present(0, 2 * DUE_MS, { connectedAtMs: DUE_MS + 40_000 })],
    "runner_lost",
  ],
  [
    "there, and connected anew after its result was due",
    slot(),
    [present(0, 2 * DUE_MS, { connectedAtMs: DUE_MS + 40_001 })],
    "unknown",
  ],
  ["there, and not known any more", slot(), [present(0, 2 * DUE_MS, { connectedAtMs: null })], "unknown"],
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
  expect(missingReason(missing, { needs: HTTP, presences, runMsMax: 10_000, nowMs: 2 * DUE_MS })).toBe(
    reason,
  );
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
  expect(missingReason(slot(), { needs, presences, runMsMax: 10_000, nowMs: 2 * DUE_MS })).toBe(reason);
});

it("a runner counts as lost only once its silence is longer than a lease", () => {
  const [endMs, presences] = [DUE_MS + 40_000, [present(0, DUE_MS + 30_000)]];
  const reasonAt = (nowMs: number) =>
    missingReason(slot(), { needs: HTTP, presences, runMsMax: 10_000, nowMs });
  expect([reasonAt(endMs), reasonAt(DUE_MS + 45_000), reasonAt(DUE_MS + 45_001)]).toEqual([
    "unknown",
    "unknown",
    "runner_lost",
  ]);
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
  const input = { needs: HTTP, presences: [], runMsMax: 60_000, nowMs: retired.dueMs };
  expect(missingReason(retired, input)).toBe("location_retired");
  expect(mayStillRun(retired, input)).toBe(false);
});
