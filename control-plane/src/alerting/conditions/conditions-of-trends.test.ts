import { aLocation, aNewResult, anInput, BURN, judgeRows } from "../../../test-support/conditions.ts";
import type { ConditionInput } from "../inputs/condition-input.ts";

const drift = (more: object) =>
  aNewResult({ schemaDrift: { added: [], removed: [], modified: [], escalated: [], server: [], ...more } });

const BASELINE = { sampleCount: 100, mean: 100, deviation: 10 };
const withBaseline = { baseline: () => BASELINE };
const burning = (long: number, short: number): Partial<ConditionInput> => ({
  burnRate: (_sloId, minutes) => (minutes === 60 ? long : short),
});
const anomaly = { type: "baseline_anomaly", metric: "response_time" };

judgeRows([
  ["both windows burn", BURN, anInput([aLocation("S")], burning(15, 20)), "critical"],
  ["exactly the threshold", BURN, anInput([aLocation("S")], burning(14.4, 20)), undefined],
  ["the short window is over it", BURN, anInput([aLocation("S")], burning(15, 1)), undefined],
  ["no rate is known", BURN, anInput([aLocation("S")]), undefined],

  [
    "a tool added",
    { type: "mcp_schema_drift" },
    anInput([aLocation("S")], { newResult: drift({ added: ["x"] }) }),
    "warning",
  ],
  [
    "nothing changed",
    { type: "mcp_schema_drift" },
    anInput([aLocation("S")], { newResult: aNewResult({}) }),
    undefined,
  ],
  [
    "the server alone, not asked for",
    { type: "mcp_schema_drift" },
    anInput([aLocation("S")], { newResult: drift({ server: ["version"] }) }),
    undefined,
  ],
  [
    "the server, asked for",
    { type: "mcp_schema_drift", changeTypes: ["server"], toolNames: ["x"] },
    anInput([aLocation("S")], { newResult: drift({ server: ["version"] }) }),
    "warning",
  ],
  [
    "another tool",
    { type: "mcp_schema_drift", toolNames: ["y"] },
    anInput([aLocation("S")], { newResult: drift({ removed: ["x"] }) }),
    undefined,
  ],
  [
    "less safe",
    { type: "mcp_schema_drift", changeTypes: ["escalated"], severity: "critical" },
    anInput([aLocation("S")], { newResult: drift({ modified: ["x", "y"], escalated: ["x"] }) }),
    "critical",
  ],
  [
    "modified, no less safe",
    { type: "mcp_schema_drift", changeTypes: ["escalated"] },
    anInput([aLocation("S")], { newResult: drift({ modified: ["x"] }) }),
    undefined,
  ],

  ["three above", anomaly, anInput([aLocation("SSS", { ms: [131, 140, 150] })], withBaseline), "warning"],
  [
    "one at exactly sigmaThreshold",
    anomaly,
    anInput([aLocation("SSS", { ms: [130, 140, 150] })], withBaseline),
    undefined,
  ],
  [
    "a failure breaks the chain",
    anomaly,
    anInput([aLocation("SFS", { ms: [150, 150, 150] })], withBaseline),
    undefined,
  ],
  ["too few runs", anomaly, anInput([aLocation("SS", { ms: [150, 150] })], withBaseline), undefined],
  ["no baseline", anomaly, anInput([aLocation("SSS", { ms: [150, 150, 150] })]), undefined],
  [
    "below, where above is asked for",
    anomaly,
    anInput([aLocation("SSS", { ms: [10, 10, 10] })], withBaseline),
    undefined,
  ],
  [
    "below",
    { ...anomaly, direction: "below" },
    anInput([aLocation("SSS", { ms: [10, 10, 10] })], withBaseline),
    "warning",
  ],
  [
    "both: all on one side",
    { ...anomaly, direction: "both" },
    anInput([aLocation("SSS", { ms: [10, 10, 10] })], withBaseline),
    "warning",
  ],
  [
    "both: some above and some below",
    { ...anomaly, direction: "both" },
    anInput([aLocation("SSS", { ms: [10, 190, 10] })], withBaseline),
    "warning",
  ],
  [
    "both: one of them as usual",
    { ...anomaly, direction: "both" },
    anInput([aLocation("SSS", { ms: [10, 100, 190] })], withBaseline),
    undefined,
  ],
  [
    "a metric that was not measured",
    { ...anomaly, metric: "lcp" },
    anInput([aLocation("SSS")], withBaseline),
    undefined,
  ],
]);
