import { describe, expect, it } from "vitest";
import { doubtsOf } from "./doubts.ts";

const hypothesis = {
  summary: "",
  confidence: 1,
  ruledIn: [],
  ruledOut: ["dns: the name resolves"],
  correlationDimensionsMatched: [],
  scope: "external_symptoms_only",
} as const;
const known = {
  incident: {
    state: "closed",
    hypothesis: { ...hypothesis, ruledIn: [], ruledOut: [...hypothesis.ruledOut] },
  },
  alerts: [
    { checkId: "chk_a", state: "active" },
    { checkId: "chk_b", state: "active" },
  ],
  changes: [{ kind: "deployment" }],
  locationCount: 2,
} as unknown as Parameters<typeof doubtsOf>[0];

describe("doubts", () => {
  it("there are none when several checks, locations and a deployment are known and it is over", () => {
    expect(doubtsOf(known)).toEqual([]);
  });
  it.each<[string, Partial<Parameters<typeof doubtsOf>[0]>, RegExp]>([
    ["no deployment", { changes: [{ kind: "config_change" }] }, /POST \/api\/events\/deployments/],
    [
      "one check with two alerts",
      { alerts: known.alerts.map((one) => ({ ...one, checkId: known.alerts[0]?.checkId ?? null })) },
      /single check/,
    ],
    ["one location", { locationCount: 1 }, /one location only/],
    ["it lasts", { incident: { ...known.incident, state: "open" } }, /weighed anew/],
  ])("%s", (_name, more, sentence) => {
    expect(doubtsOf({ ...known, ...more })).toEqual([expect.stringMatching(sentence)]);
  });
});
