/** Makes checks and locations for tests, and audits that every slot of a period has exactly one result. */
import { type Check, isSlot, phaseMs, type Result, slotAtOrAfter } from "@svc/contract";
import type { ControlPlane } from "./control-plane.ts";
import { until } from "./wait.ts";

/** Creates a private location and a runner key for it. */
export async function createLocation(controlPlane: ControlPlane, name: string) {
  const { location } = await controlPlane.ok<{ location: { id: string } }>("POST", "/api/locations", {
    name,
  });
  const { key } = await controlPlane.ok<{ key: { secret: string } }>(
    "POST",
    `/api/locations/${location.id}/keys`,
    {},
  );
  return { locationId: location.id, runnerKey: key.secret };
}

/** Creates `count` checks of `url`/<index>, run every 10 s at the location. */
export async function createChecks(
  controlPlane: ControlPlane,
  { count, locationId, url }: { count: number; locationId: string; url: string },
) {
  const checks: Check[] = [];
  for (let i = 0; i < count; i++) {
    const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
      name: `check ${i}`,
      type: "http",
      frequencySeconds: 10,
      locations: [locationId],
      httpConfig: { url: `${url}/${i}`, timeoutMs: 5000, assertions: [{ type: "status_code", value: 200 }] },
    });
    checks.push(check);
  }
  return checks;
}

/** A period of slots: from `fromMs` up to, but not including, `toMs`; Unix ms. */
export interface SlotPeriod {
  fromMs: number;
  toMs: number;
}

/** Comparison of the stored results with the grid. */
export interface SlotAudit {
  expected: number;
  /** Slots of the period without a result. */
  missing: { checkId: string; slotMs: number }[];
  /** Slots with more than one result at a location. */
  doubled: { checkId: string; slotMs: number }[];
  /** Results in the period whose slot is neither on the grid nor the check's first run. */
  offGrid: { checkId: string; slotMs: number }[];
  /** Results in the period that are not a success. */
  unsuccessful: Result[];
}

/** Compares the stored results of single-location checks with the grid, for the slots of a period. */
export async function auditSlots(
  controlPlane: ControlPlane,
  checks: readonly Check[],
  { fromMs, toMs }: SlotPeriod,
): Promise<SlotAudit> {
  const audit: SlotAudit = { expected: 0, missing: [], doubled: [], offGrid: [], unsuccessful: [] };
  for (const check of checks) {
    const periodMs = check.frequencySeconds * 1000;
    const phase = phaseMs(check.id, check.frequencySeconds);
    const results = await resultsSince(controlPlane, check.id, fromMs);
    const seen = new Set<number>();
    for (const result of results) {
      const slotMs = Date.parse(result.slotAt);
      if (slotMs < fromMs || slotMs >= toMs) continue;
      if (seen.has(slotMs)) audit.doubled.push({ checkId: check.id, slotMs });
      seen.add(slotMs);
      if (!isSlot(slotMs, periodMs, phase) && slotMs !== Date.parse(check.createdAt))
        audit.offGrid.push({ checkId: check.id, slotMs });
      if (result.status !== "success") audit.unsuccessful.push(result);
    }
    for (let slotMs = slotAtOrAfter(fromMs, periodMs, phase); slotMs < toMs; slotMs += periodMs) {
      audit.expected++;
      if (!seen.has(slotMs)) audit.missing.push({ checkId: check.id, slotMs });
    }
  }
  return audit;
}

/** Time within which the results of a period must have arrived. */
const COMPLETE_WITHIN_MS = 40_000;

/** Returns the audit once every slot of the period has its result, or the last audit when the time is over. */
export async function auditOnceComplete(
  controlPlane: ControlPlane,
  checks: readonly Check[],
  period: SlotPeriod,
): Promise<SlotAudit> {
  let audit: SlotAudit | undefined;
  await until(
    "every slot has its result",
    async () => {
      audit = await auditSlots(controlPlane, checks, period);
      return audit.missing.length === 0;
    },
    { withinMs: COMPLETE_WITHIN_MS, everyMs: 500 },
  ).catch((error) => {
    if (!audit) throw error;
  });
  if (!audit) throw new Error("no audit was made");
  return audit;
}

/** Returns the longest time from a slot of the period to the start of its run, ms; 0 without results. */
export async function longestStartDelayMs(
  controlPlane: ControlPlane,
  checks: readonly Check[],
  { fromMs, toMs }: SlotPeriod,
): Promise<number> {
  const results: Result[] = [];
  for (const { id } of checks) results.push(...(await resultsSince(controlPlane, id, fromMs)));
  const delaysMs = results
    .map(({ slotAt, startedAt }) => ({ slotMs: Date.parse(slotAt), startedMs: Date.parse(startedAt) }))
    .filter(({ slotMs }) => slotMs >= fromMs && slotMs < toMs)
    .map(({ slotMs, startedMs }) => startedMs - slotMs);
  return Math.max(0, ...delaysMs);
}

/** Waits until every check has at least one result. */
export async function untilAllHaveResults(
  controlPlane: ControlPlane,
  checks: readonly Check[],
): Promise<void> {
  for (const check of checks)
    await until(`${check.name} has a result`, async () => {
      const { results } = await controlPlane.ok<{ results: Result[] }>(
        "GET",
        `/api/checks/${check.id}/results?limit=1`,
      );
      return results.length > 0;
    });
}

async function resultsSince(controlPlane: ControlPlane, checkId: string, fromMs: number): Promise<Result[]> {
  const all: Result[] = [];
  for (let offset = 0; ; offset += 200) {
    const { results } = await controlPlane.ok<{ results: Result[] }>(
      "GET",
      `/api/checks/${checkId}/results?limit=200&offset=${offset}`,
    );
    all.push(...results);
    const oldest = results.at(-1);
    if (results.length < 200 || !oldest || Date.parse(oldest.slotAt) < fromMs) return all;
  }
}
