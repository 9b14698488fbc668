import { readdirSync } from "node:fs";
import { type Condition, conditionSchema, conditionTypes, DAY_MS, type LocationId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { someTlsFacts } from "../../../test-support/alerting.ts";
import type { CertificateObservation } from "../inputs/certificates.ts";
import type { ConditionInput, LocationInput } from "../inputs/condition-input.ts";
import type { NewResult, StoredResult } from "../inputs/judged-result.ts";
import { conditionRules, ruleOf } from "./registry.ts";

const NOW_MS = Date.UTC(2026, 5, 1, 12);
const SLO_ID = "slo_01h455vb4pex5vsknk084sn02q";

/** A location with the inputs that the sources would answer for it. */
interface TestLocation extends LocationInput {
  tls: CertificateObservation[];
  missedSlotsMs: number[];
}

/** A location whose results, newest first and a minute apart, are S(uccess), F(ailure), E(rror) or T(imeout). */
function location(
  statuses: string,
  more: Partial<TestLocation> & { ms?: number[]; agesSeconds?: number[] } = {},
): TestLocation {
  const { ms = [], agesSeconds = [], locationKey = 1, ...rest } = more;
  return {
    locationKey,
    locationId: `loc_${locationKey}` as LocationId,
    name: `place ${locationKey}`,
    results: [...statuses].map((status, i) =>
      result(locationKey, status, (agesSeconds[i] ?? i * 60) * 1000, ms[i]),
    ),
    tls: [],
    missedSlotsMs: [],
    ...rest,
  };
}

function result(locationKey: number, status: string, ageMs: number, ms = 10): StoredResult {
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

function input(locations: TestLocation[], more: Partial<ConditionInput> = {}): ConditionInput {
  const at = (key: number) => locations.find(({ locationKey }) => locationKey === key);
  return {
    checkKey: 7,
    newResult: undefined,
    atMs: NOW_MS,
    locations,
    certificates: (key) => at(key)?.tls ?? [],
    missedSlots: (key) => at(key)?.missedSlotsMs ?? [],
    baseline: () => undefined,
    burnRate: () => undefined,
    ...more,
  };
}

const tls = (...seen: [ageDays: number, overrides: Parameters<typeof someTlsFacts>[0]][]) =>
  seen.map(([ageDays, overrides]) => ({
    firstSlotMs: NOW_MS - ageDays * DAY_MS,
    facts: someTlsFacts(overrides),
  }));
const endingIn = (days: number) => new Date(NOW_MS + days * DAY_MS).toISOString();
const newResult = (more: Partial<NewResult>): NewResult => ({
  ...result(1, "S", 0),
  hasTlsFacts: false,
  ...more,
});
const drift = (more: object) =>
  newResult({ schemaDrift: { added: [], removed: [], modified: [], escalated: [], server: [], ...more } });

const BASELINE = { sampleCount: 100, mean: 100, deviation: 10 };
const withBaseline = { baseline: () => BASELINE };
const burning = (long: number, short: number): Partial<ConditionInput> => ({
  burnRate: (_sloId, minutes) => (minutes === 60 ? long : short),
});
const burn = {
  type: "burn_rate",
  sloId: SLO_ID,
  burnRateThreshold: 14.4,
  longWindowMinutes: 60,
  shortWindowMinutes: 5,
};
const anomaly = { type: "baseline_anomaly", metric: "response_time" };

/** Name, condition, input, and the severity when the condition holds. */
type Row = [name: string, condition: object, input: ConditionInput, holds: string | undefined];

const ROWS: Row[] = [
  ["count failures", { type: "consecutive_failures" }, input([location("FT")]), "critical"],
  ["one failure fewer", { type: "consecutive_failures" }, input([location("FS")]), undefined],
  ["the first results ever, too few", { type: "consecutive_failures" }, input([location("F")]), undefined],
  ["failures, then a success", { type: "consecutive_failures" }, input([location("SFF")]), undefined],
  [
    "any one location is enough",
    { type: "consecutive_failures" },
    input([location("SS"), location("EE", { locationKey: 2 })]),
    "critical",
  ],
  [
    "failures spread over locations don't add up",
    { type: "consecutive_failures" },
    input([location("FS"), location("FS", { locationKey: 2 })]),
    undefined,
  ],
  ["a count of one", { type: "consecutive_failures", count: 1 }, input([location("E")]), "critical"],

  [
    "exactly maxMs is fine",
    { type: "response_time_threshold", maxMs: 500 },
    input([location("S", { ms: [500] })]),
    undefined,
  ],
  [
    "a microsecond more is slow",
    { type: "response_time_threshold", maxMs: 500 },
    input([location("S", { ms: [500.001] })]),
    "critical",
  ],
  [
    "a failure in between leaves the newest success the judge",
    { type: "response_time_threshold", maxMs: 500 },
    input([location("FS", { ms: [1, 900] })]),
    "critical",
  ],
  [
    "slow before, fast now",
    { type: "response_time_threshold", maxMs: 500 },
    input([location("SS", { ms: [400, 900] })]),
    undefined,
  ],
  [
    "slow from one place of two",
    { type: "response_time_threshold", maxMs: 500 },
    input([location("S"), location("S", { locationKey: 2, ms: [501] })]),
    "critical",
  ],
  ["no success known", { type: "response_time_threshold", maxMs: 500 }, input([location("FF")]), undefined],

  [
    "two locations at once",
    { type: "multi_location_failure" },
    input([location("F"), location("T", { locationKey: 2 })]),
    "critical",
  ],
  [
    "one of two",
    { type: "multi_location_failure" },
    input([location("F"), location("SF", { locationKey: 2 })]),
    undefined,
  ],
  [
    "in the last ms of the window",
    { type: "multi_location_failure" },
    input([location("F"), location("F", { locationKey: 2, agesSeconds: [299.999] })]),
    "critical",
  ],
  [
    "just out of the window",
    { type: "multi_location_failure" },
    input([location("F"), location("F", { locationKey: 2, agesSeconds: [300] })]),
    undefined,
  ],
  [
    "three wanted, two fail",
    { type: "multi_location_failure", minLocations: 3 },
    input([1, 2].map((locationKey) => location("F", { locationKey }))),
    undefined,
  ],

  [
    "3 of the last 5",
    { type: "failure_ratio", failures: 3, total: 5 },
    input([location("FSFSF")]),
    "critical",
  ],
  [
    "3 of the last 5, not of the last 6",
    { type: "failure_ratio", failures: 3, total: 5 },
    input([location("FSFSSF")]),
    undefined,
  ],
  [
    "over locations, by time",
    { type: "failure_ratio", failures: 2, total: 2 },
    input([location("FS"), location("FS", { locationKey: 2 })]),
    "critical",
  ],
  [
    "fewer results than total",
    { type: "failure_ratio", failures: 2, total: 5 },
    input([location("FF")]),
    "critical",
  ],

  [
    "ends in exactly the days",
    { type: "ssl_expiry" },
    input([location("S", { tls: tls([1, { validTo: endingIn(14) }]) })]),
    "critical",
  ],
  [
    "ends later",
    { type: "ssl_expiry" },
    input([location("S", { tls: tls([1, { validTo: endingIn(14.01) }]) })]),
    undefined,
  ],
  [
    "a severity of its own",
    { type: "ssl_expiry", severity: "warning" },
    input([location("S", { tls: tls([1, { validTo: endingIn(10) }]) })]),
    "warning",
  ],
  [
    "critical in the last days whatever was set",
    { type: "ssl_expiry", severity: "info" },
    input([location("S", { tls: tls([1, { validTo: endingIn(3) }]) })]),
    "critical",
  ],
  [
    "has ended",
    { type: "ssl_expiry", severity: "info" },
    input([location("S", { tls: tls([1, { validTo: endingIn(-1) }]) })]),
    "critical",
  ],
  ["nothing seen", { type: "ssl_expiry" }, input([location("S")]), undefined],
  [
    "the renewed certificate counts",
    { type: "ssl_expiry" },
    input([location("S", { tls: tls([0, { validTo: endingIn(90) }], [9, { validTo: endingIn(1) }]) })]),
    undefined,
  ],

  [
    "changed with this run",
    { type: "ssl_certificate_changed" },
    input([location("S", { tls: tls([0, { fingerprintSha256: "B" }], [9, { fingerprintSha256: "A" }]) })]),
    "critical",
  ],
  [
    "changed with a run before",
    { type: "ssl_certificate_changed" },
    input([location("SS", { tls: tls([1, { fingerprintSha256: "B" }], [9, { fingerprintSha256: "A" }]) })]),
    undefined,
  ],
  [
    "seen for the first time",
    { type: "ssl_certificate_changed" },
    input([location("S", { tls: tls([0, { fingerprintSha256: "B" }]) })]),
    undefined,
  ],
  [
    "only the cipher changed",
    { type: "ssl_certificate_changed" },
    input([location("S", { tls: tls([0, { cipher: "x" }], [9, {}]) })]),
    undefined,
  ],

  [
    "self-signed",
    { type: "ssl_self_signed" },
    input([location("S", { tls: tls([1, { isSelfSigned: true }]) })]),
    "critical",
  ],
  [
    "an unknown root",
    { type: "ssl_self_signed", severity: "info" },
    input([
      location("E", { tls: tls([1, { isTrusted: false, trustError: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY" }]) }),
    ]),
    "info",
  ],
  [
    "merely expired",
    { type: "ssl_self_signed" },
    input([location("E", { tls: tls([1, { isTrusted: false, trustError: "CERT_HAS_EXPIRED" }]) })]),
    undefined,
  ],
  ["trusted", { type: "ssl_self_signed" }, input([location("S", { tls: tls([1, {}]) })]), undefined],

  [
    "TLS 1.1",
    { type: "ssl_protocol_deprecated" },
    input([location("S", { tls: tls([1, { protocol: "TLSv1.1" }]) })]),
    "critical",
  ],
  [
    "TLS 1.2 is fine by default",
    { type: "ssl_protocol_deprecated" },
    input([location("S", { tls: tls([1, { protocol: "TLSv1.2" }]) })]),
    undefined,
  ],
  [
    "TLS 1.2 where 1.3 is wanted",
    { type: "ssl_protocol_deprecated", minProtocol: "TLSv1.3", severity: "warning" },
    input([location("S", { tls: tls([1, { protocol: "TLSv1.2" }]) })]),
    "warning",
  ],
  [
    "a protocol nobody knows",
    { type: "ssl_protocol_deprecated" },
    input([location("S", { tls: tls([1, { protocol: "unknown" }]) })]),
    undefined,
  ],

  ["both windows burn", burn, input([location("S")], burning(15, 20)), "critical"],
  ["exactly the threshold", burn, input([location("S")], burning(14.4, 20)), undefined],
  ["the short window is over it", burn, input([location("S")], burning(15, 1)), undefined],
  ["no rate is known", burn, input([location("S")]), undefined],

  [
    "a tool added",
    { type: "mcp_schema_drift" },
    input([location("S")], { newResult: drift({ added: ["x"] }) }),
    "warning",
  ],
  [
    "nothing changed",
    { type: "mcp_schema_drift" },
    input([location("S")], { newResult: newResult({}) }),
    undefined,
  ],
  [
    "the server alone, not asked for",
    { type: "mcp_schema_drift" },
    input([location("S")], { newResult: drift({ server: ["version"] }) }),
    undefined,
  ],
  [
    "the server, asked for",
    { type: "mcp_schema_drift", changeTypes: ["server"], toolNames: ["x"] },
    input([location("S")], { newResult: drift({ server: ["version"] }) }),
    "warning",
  ],
  [
    "another tool",
    { type: "mcp_schema_drift", toolNames: ["y"] },
    input([location("S")], { newResult: drift({ removed: ["x"] }) }),
    undefined,
  ],
  [
    "less safe",
    { type: "mcp_schema_drift", changeTypes: ["escalated"], severity: "critical" },
    input([location("S")], { newResult: drift({ modified: ["x", "y"], escalated: ["x"] }) }),
    "critical",
  ],
  [
    "modified, no less safe",
    { type: "mcp_schema_drift", changeTypes: ["escalated"] },
    input([location("S")], { newResult: drift({ modified: ["x"] }) }),
    undefined,
  ],

  ["three above", anomaly, input([location("SSS", { ms: [131, 140, 150] })], withBaseline), "warning"],
  [
    "one at exactly sigmaThreshold",
    anomaly,
    input([location("SSS", { ms: [130, 140, 150] })], withBaseline),
    undefined,
  ],
  [
    "a failure breaks the chain",
    anomaly,
    input([location("SFS", { ms: [150, 150, 150] })], withBaseline),
    undefined,
  ],
  ["too few runs", anomaly, input([location("SS", { ms: [150, 150] })], withBaseline), undefined],
  ["no baseline", anomaly, input([location("SSS", { ms: [150, 150, 150] })]), undefined],
  [
    "below, where above is asked for",
    anomaly,
    input([location("SSS", { ms: [10, 10, 10] })], withBaseline),
    undefined,
  ],
  [
    "below",
    { ...anomaly, direction: "below" },
    input([location("SSS", { ms: [10, 10, 10] })], withBaseline),
    "warning",
  ],
  [
    "both: all on one side",
    { ...anomaly, direction: "both" },
    input([location("SSS", { ms: [10, 10, 10] })], withBaseline),
    "warning",
  ],
  [
    "both: up and down is no direction",
    { ...anomaly, direction: "both" },
    input([location("SSS", { ms: [10, 190, 10] })], withBaseline),
    undefined,
  ],
  [
    "a metric that was not measured",
    { ...anomaly, metric: "lcp" },
    input([location("SSS")], withBaseline),
    undefined,
  ],

  [
    "two slots missed",
    { type: "missed_runs" },
    input([location("S", { missedSlotsMs: [NOW_MS, NOW_MS - 1] })]),
    "critical",
  ],
  [
    "one slot missed",
    { type: "missed_runs" },
    input([location("S", { missedSlotsMs: [NOW_MS] })]),
    undefined,
  ],
];

describe.each(conditionTypes.types)("%s", (type) => {
  it.each(ROWS.filter(([, condition]) => (condition as Condition).type === type))(
    "%s",
    (_name, given, known, severity) => {
      const condition = conditionSchema.parse(given);
      expect(ruleOf(condition).match(condition, known)?.severity).toBe(severity);
    },
  );
});

/** Files of this folder that hold no member of the family. */
const NOT_MEMBERS = new Set([
  "condition.ts",
  "conditions.test.ts",
  "location-names.ts",
  "registry.ts",
  "seen-certificates.ts",
]);

it("the conditions are those of the contract, each in a file of its own", () => {
  expect([...conditionRules.types].sort()).toEqual([...conditionTypes.types].sort());
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !file.endsWith(".test.ts") && !NOT_MEMBERS.has(file),
  );
  expect(files.map((file) => file.replace(".ts", "").replaceAll("-", "_")).sort()).toEqual(
    [...conditionTypes.types].sort(),
  );
});

it("a match names the results, for people and for machines", () => {
  const condition = conditionSchema.parse({ type: "consecutive_failures" });
  const match = ruleOf(condition).match(condition, input([location("FFFS")]));
  expect(match).toMatchObject({ threshold: 2, observed: 3, summary: "2 failures in a row from place 1" });
  expect(match?.results.map(({ slotMs }) => slotMs)).toEqual([NOW_MS, NOW_MS - 60_000]);
});

describe("a success costs nothing where it can't matter", () => {
  const success = newResult({});
  it.each([
    [{ type: "consecutive_failures" }, false],
    [{ type: "multi_location_failure" }, false],
    [{ type: "failure_ratio", failures: 1, total: 2 }, false],
    [{ type: "response_time_threshold", maxMs: 10 }, false],
    [{ type: "response_time_threshold", maxMs: 9 }, true],
    [{ type: "mcp_schema_drift" }, false],
    [{ type: "missed_runs" }, false],
    [burn, false],
    [{ type: "ssl_certificate_changed" }, false],
  ])("%j", (given, may) => {
    const condition = conditionSchema.parse(given);
    expect(ruleOf(condition).canBegin(condition, success)).toBe(may);
  });
});
