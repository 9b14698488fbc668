import type { LocationId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aLocationState, aMember, someHypothesisInput } from "../../../test-support/incidents.ts";
import { hypothesisOf } from "./hypothesis.ts";
import type { HypothesisInput } from "./input.ts";

const openedAtMs = someHypothesisInput().openedAtMs;
const failing = (state: Parameters<typeof aLocationState>[0], more = {}) => ({
  members: [aMember({ locationStates: [aLocationState(state)], ...more })],
});
const certificate = {
  fingerprintSha256: "AA",
  validTo: "2027-01-01T00:00:00.000Z",
  isTrusted: true,
  trustError: null,
  changedAtMs: null,
};
const tls = (overrides: object) =>
  failing({ errorCategory: "tls" }, { certificate: { ...certificate, ...overrides } });

const causes: [string, Partial<HypothesisInput>, RegExp][] = [
  ["dns", failing({ errorCategory: "dns" }), /^shop\.example can't be resolved/],
  ["refused", failing({ errorCategory: "connect" }), /^shop\.example refuses connections/],
  ["timeout", failing({ errorCategory: "timeout" }), /does not answer in time/],
  ["503", failing({ errorCategory: "assertion", httpStatusCode: 503 }), /answers 503: the server itself/],
  ["403", failing({ errorCategory: "http", httpStatusCode: 403 }), /answers 403: it refuses the credentials/],
  [
    "a maintenance page",
    failing({
      errorCategory: "assertion",
      httpStatusCode: 503,
      evidence: { asksToComeBack: true, failedHosts: [], hasOtherStructure: false, pageError: null },
    }),
    /^shop\.example shows a maintenance page/,
  ],
  [
    "another party",
    failing({
      errorCategory: "script",
      httpStatusCode: 200,
      evidence: {
        asksToComeBack: false,
        failedHosts: ["cdn.net"],
        hasOtherStructure: false,
        pageError: null,
      },
    }),
    /needs from cdn\.net, another party/,
  ],
  [
    "an answer cut short",
    failing({ errorCategory: "connect", httpStatusCode: 200 }),
    /breaks off its answers before their end/,
  ],
  [
    "what the probe said",
    failing({ errorCategory: "protocol", errorMessage: "shop.example did not answer\nwith valid HTTP." }),
    /breaks the protocol: shop\.example did not answer with valid HTTP\.$/,
  ],
  [
    "slow lookups",
    {
      members: [
        aMember({
          conditions: ["response_time_threshold"],
          locationStates: [
            aLocationState({ isFailing: false, mainPhase: { name: "DNS lookup", ms: 250, totalMs: 262 } }),
          ],
        }),
      ],
    },
    /most of the time goes into DNS lookup, 250 of 262 ms/,
  ],
  [
    "the way from one location",
    {
      members: [
        aMember({
          locationStates: [
            aLocationState(),
            aLocationState({ locationId: "loc_b" as LocationId, isFailing: false }),
          ],
        }),
      ],
    },
    /^shop\.example fails from loc_a and works from loc_b: the way from there/,
  ],
  ["429", failing({ errorCategory: "http", httpStatusCode: 429 }), /limits the rate/],
  [
    "200, wrong content",
    failing({ errorCategory: "assertion", httpStatusCode: 200 }),
    /not with what is expected/,
  ],
  [
    "expired certificate",
    tls({ validTo: "2026-05-31T00:00:00.000Z" }),
    /certificate of shop\.example has expired/,
  ],
  ["untrusted certificate", tls({ isTrusted: false, trustError: "unknown CA" }), /is not trusted/],
  ["changed certificate", tls({ changedAtMs: openedAtMs - 60_000 }), /was changed/],
  [
    "slow",
    {
      members: [
        aMember({
          conditions: ["response_time_threshold"],
          locationStates: [aLocationState({ isFailing: false })],
        }),
      ],
    },
    /more slowly/,
  ],
  [
    "a location that is down",
    { failingLocations: new Map([["loc_a" as LocationId, { failing: 9, total: 10 }]]) },
    /^loc_a or its network is the likely cause: 9 of 10 checks/,
  ],
  [
    "no runner",
    {
      members: [aMember({ conditions: ["missed_runs"], locationStates: [] })],
      runners: [{ locationId: "loc_a" as LocationId, locationName: "loc_a", aliveCount: 0 }],
    },
    /no runner there is alive/,
  ],
  [
    "nothing known",
    { members: [aMember({ locationStates: [], conditions: ["unheard_of"] })] },
    /the facts name no cause/,
  ],
];

it.each(causes)("the cause follows from the evidence: %s", (_name, input, summary) => {
  expect(hypothesisOf(someHypothesisInput(input)).summary).toMatch(summary);
});

it("each of these has a summary of its own", () => {
  const summaries = causes.map(([, input]) => hypothesisOf(someHypothesisInput(input)).summary);
  expect(new Set(summaries).size).toBe(causes.length);
});

describe("circumstances ruled in and out", () => {
  const everywhere = {
    members: [
      aMember({ locationStates: [aLocationState(), aLocationState({ locationId: "loc_b" as LocationId })] }),
    ],
  };
  const partly = {
    members: [
      aMember({
        locationStates: [
          aLocationState(),
          aLocationState({ locationId: "loc_b" as LocationId, isFailing: false }),
        ],
      }),
    ],
  };
  const neighbour = (isFailing: boolean) => ({
    neighbours: [{ checkName: "n", host: "shop.example", isFailing }],
  });
  const deployment = (agoMs: number) => ({
    deployments: [{ service: "shop", version: "2", environment: "prod", atMs: openedAtMs - agoMs }],
  });
  it.each<[string, Partial<HypothesisInput>, "ruledIn" | "ruledOut", string]>([
    ["fails everywhere", everywhere, "ruledOut", "location: fails from all of loc_a and loc_b"],
    ["fails at some locations", partly, "ruledIn", "location: fails from loc_a, succeeds from loc_b"],
    [
      "others on the host are fine",
      neighbour(false),
      "ruledOut",
      "host: 1 other check on shop.example succeeds, so not all of it is down",
    ],
    ["others on the host fail", neighbour(true), "ruledIn", "host: 1 other check on shop.example fails, too"],
    ["a deployment", deployment(600_000), "ruledIn", "deployment: shop 2 (prod), 10 min before"],
    [
      "a window that ended",
      { windows: [{ name: "w", endedAtMs: openedAtMs - 120_000 }] },
      "ruledIn",
      'maintenance: the window "w" ended 2 min before',
    ],
    [
      "an answer rules the network out",
      failing({ errorCategory: "assertion", httpStatusCode: 503 }),
      "ruledOut",
      "network: the target accepts connections",
    ],
  ])("%s", (_name, input, list, text) => {
    expect(hypothesisOf(someHypothesisInput(input))[list]).toContain(text);
  });

  it("a deployment is named and raises the confidence, and the scope says that a change was known", () => {
    const without = hypothesisOf(someHypothesisInput());
    const after = hypothesisOf(someHypothesisInput(deployment(60_000)));
    expect(after.summary).toMatch(/; shop 2 was deployed 1 min before\.$/);
    expect(after.confidence).toBeGreaterThan(without.confidence);
    expect([without.scope, after.scope]).toEqual(["external_symptoms_only", "external_symptoms_and_changes"]);
  });

  it.each<[string, Parameters<typeof aLocationState>[0], Parameters<typeof aLocationState>[0]]>([
    ["answers with an error", { errorCategory: "http", httpStatusCode: 500 }, {}],
    ["has not been measured elsewhere since", { slotMs: 9_000, failingSinceMs: 9_000 }, { slotMs: 8_000 }],
  ])("a target that fails from some locations and %s is not excused by the way there", (_name, bad, good) => {
    const states = [
      aLocationState(bad),
      aLocationState({ locationId: "loc_b" as LocationId, isFailing: false, ...good }),
    ];
    const { summary, ruledIn } = hypothesisOf(
      someHypothesisInput({ members: [aMember({ locationStates: states })] }),
    );
    expect(summary).not.toContain("works from");
    expect(ruledIn).toContain("location: fails from loc_a, succeeds from loc_b");
  });

  it("locations that fail in different ways lower the confidence", () => {
    const mixed = {
      members: [
        aMember({
          locationStates: [
            aLocationState(),
            aLocationState({ locationId: "loc_b" as LocationId, errorCategory: "dns" }),
          ],
        }),
      ],
    };
    expect(hypothesisOf(someHypothesisInput(mixed)).confidence).toBeLessThan(
      hypothesisOf(someHypothesisInput(everywhere)).confidence,
    );
  });
});
