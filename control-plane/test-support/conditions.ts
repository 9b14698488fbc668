/** Inputs of alert conditions with valid defaults, and the way in which tables of them are judged. */
import { type Condition, conditionSchema, DAY_MS, type LocationId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { ruleOf } from "../src/alerting/conditions/registry.ts";
import type { CertificateObservation } from "../src/alerting/inputs/certificates.ts";
import type { ConditionInput, LoadedLocation } from "../src/alerting/inputs/condition-input.ts";
import type { NewResult, StoredResult } from "../src/alerting/inputs/judged-result.ts";
import { KnownResults } from "../src/alerting/inputs/known-results.ts";
import { someTlsFacts } from "./alerting.ts";

/** The instant at which conditions are judged. Unix ms. */
export const NOW_MS = Date.UTC(2026, 5, 1, 12);

/** A location with the inputs that the sources would answer for it. */
export interface TestLocation extends LoadedLocation {
  tls: CertificateObservation[];
  missedSlotsMs: number[];
}

/** A location whose results, newest first and a minute apart, are S(uccess), F(ailure), E(rror) or T(imeout). */
export function aLocation(
  statuses: string,
  more: Partial<TestLocation> & { ms?: number[]; agesSeconds?: number[] } = {},
): TestLocation {
  const { ms = [], agesSeconds = [], locationKey = 1, ...rest } = more;
  return {
    locationKey,
    locationId: `loc_${locationKey}` as LocationId,
    name: `place ${locationKey}`,
    results: [...statuses].map((status, i) =>
      aStoredResult(locationKey, status, (agesSeconds[i] ?? i * 60) * 1000, ms[i]),
    ),
    tls: [],
    missedSlotsMs: [],
    ...rest,
  };
}

/** Returns the input of a condition of check 7 at these locations, without a baseline or burn rate. */
export function anInput(locations: TestLocation[], more: Partial<ConditionInput> = {}): ConditionInput {
  const known = new KnownResults(locations);
  const at = (key: number) => locations.find(({ locationKey }) => locationKey === key);
  return {
    checkKey: 7,
    newResult: undefined,
    atMs: NOW_MS,
    locations: known.locations,
    newestOfAll: (count) => known.newestOfAll(count),
    certificates: (key) => at(key)?.tls ?? [],
    missedSlots: (key) => at(key)?.missedSlotsMs ?? [],
    baseline: () => undefined,
    burnRate: () => undefined,
    ...more,
  };
}

/** Returns certificates that were first seen so many days ago. */
export const tls = (...seen: [ageDays: number, overrides: Parameters<typeof someTlsFacts>[0]][]) =>
  seen.map(([ageDays, overrides]) => ({
    firstSlotMs: NOW_MS - ageDays * DAY_MS,
    facts: someTlsFacts(overrides),
  }));

/** Returns a success that has just come in. */
export const aNewResult = (more: Partial<NewResult> = {}): NewResult => ({
  ...aStoredResult(1, "S", 0),
  hasTlsFacts: false,
  ...more,
});

/** A burn-rate condition over 60 and 5 minutes. */
export const BURN = {
  type: "burn_rate",
  sloId: "slo_01h455vb4pex5vsknk084sn02q",
  burnRateThreshold: 14.4,
  longWindowMinutes: 60,
  shortWindowMinutes: 5,
};

/** Name, condition, input, and the severity when the condition holds. */
export type ConditionRow = [
  name: string,
  condition: object,
  input: ConditionInput,
  severity: string | undefined,
];

/** Declares a test for each row, grouped by the type of its condition. */
export function judgeRows(rows: readonly ConditionRow[]): void {
  const types = new Set(rows.map(([, condition]) => (condition as Condition).type));
  describe.each([...types])("%s", (type) => {
    it.each(rows.filter(([, condition]) => (condition as Condition).type === type))(
      "%s",
      (_name, given, known, severity) => {
        const condition = conditionSchema.parse(given);
        expect(ruleOf(condition).match(condition, known)?.severity).toBe(severity);
        // Whether or not it holds, it can say how near it is.
        const { threshold, missing } = ruleOf(condition).explain(condition, known);
        expect([threshold !== undefined, missing.length > 10]).toEqual([true, true]);
      },
    );
  });
}

function aStoredResult(locationKey: number, status: string, ageMs: number, ms = 10): StoredResult {
  return {
    locationKey,
    slotMs: NOW_MS - ageMs,
    status: "SFET".indexOf(status) + 1,
    runnerKey: 1,
    responseTimeUs: ms * 1000,
    dnsLookupUs: null,
    tlsHandshakeUs: null,
    ttfbUs: null,
    contentTransferUs: null,
    httpStatusCode: null,
    traceId: null,
  };
}
