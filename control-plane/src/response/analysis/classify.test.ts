import type { ErrorCategory, InsightType, LocationId } from "@svc/contract";
import { DAY_MS, MINUTE_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { FailureEvidence } from "../failures/failure.ts";
import { classify } from "./classify.ts";
import type { AnalysisInput, LocationSamples, Sample } from "./input.ts";

const nowMs = Date.UTC(2026, 5, 1, 12);

const ok = (overrides: Partial<Sample> = {}): Omit<Sample, "slotMs"> => ({
  isSuccess: true,
  category: null,
  message: null,
  httpStatusCode: 200,
  timing: { totalMs: 50, ttfbMs: 30, dnsLookupMs: 2 },
  ...overrides,
});
const bad = (category: ErrorCategory, overrides: Partial<Sample> = {}) =>
  ok({ isSuccess: false, category, message: `because of ${category}`, httpStatusCode: null, ...overrides });
const times = <T>(count: number, item: T): T[] => Array(count).fill(item);

/** Returns a location with these samples, newest first, a minute apart. */
const location = (locationId: string, ...samples: Omit<Sample, "slotMs">[]): LocationSamples => ({
  locationId: locationId as LocationId,
  samples: samples.map((sample, i) => ({ ...sample, slotMs: nowMs - (i + 1) * MINUTE_MS })),
});
const everywhere = (...samples: Omit<Sample, "slotMs">[]) => [
  location("loc_a", ...samples),
  location("loc_b", ...samples),
];
const anInput = (overrides: Partial<AnalysisInput>): AnalysisInput => ({
  nowMs,
  check: { name: "Shop", host: "shop.example", isEnabled: true, frequencySeconds: 60 },
  locations: everywhere(...times(20, ok())),
  deployments: [],
  missing: [],
  certificate: undefined,
  ...overrides,
});
const deployed = (minutesAgo: number) => [
  { service: "shop", version: "42", atMs: nowMs - minutesAgo * MINUTE_MS },
];
const slow = ok({ timing: { totalMs: 900, ttfbMs: 850, dnsLookupMs: 2 } });
const evidence = (shown: Partial<FailureEvidence>): FailureEvidence => ({
  asksToComeBack: false,
  failedHosts: [],
  hasOtherStructure: false,
  pageError: null,
  ...shown,
});
const certificate = (days: number, isTrusted = true) => ({
  validToMs: nowMs + days * DAY_MS,
  isTrusted,
  trustError: isTrusted ? null : "unknown CA",
});
const failing = (sample: Omit<Sample, "slotMs">) => everywhere(...times(3, sample), ...times(17, ok()));

const cases: [string, Partial<AnalysisInput>, InsightType, RegExp][] = [
  ["all is well", {}, "healthy", /shop\.example is fine from loc_a and loc_b: 40 of the newest 40/],
  ["nothing known", { locations: everywhere() }, "no_data", /no result of Shop/],
  ["refused", { locations: failing(bad("connect")) }, "target_down", /is down: it accepts no connections/],
  ["timeouts", { locations: failing(bad("timeout")) }, "target_down", /does not answer in time from loc_a/],
  [
    "503",
    { locations: failing(bad("assertion", { httpStatusCode: 503 })) },
    "target_down",
    /answers 503 from loc_a and loc_b/,
  ],
  [
    "wrong content",
    { locations: failing(bad("assertion", { httpStatusCode: 200 })) },
    "unexpected_answer",
    /answers 200, but not as expected: because of assertion/,
  ],
  [
    "a script's step",
    { locations: failing(bad("script")) },
    "unexpected_answer",
    /answers, but not as expected/,
  ],
  ["no name", { locations: failing(bad("dns")) }, "dns", /name shop\.example can't be resolved/],
  [
    "untrusted",
    { locations: failing(bad("tls", { message: null })), certificate: certificate(90, false) },
    "tls",
    /its certificate is not trusted \(unknown CA\)/,
  ],
  [
    "expired",
    { locations: failing(bad("tls", { message: null })), certificate: certificate(-1) },
    "tls",
    /its certificate expired at/,
  ],
  [
    "a handshake that fails for a reason",
    { locations: failing(bad("tls", { message: "no TLS version in common" })), certificate: certificate(90) },
    "tls",
    /No secure connection to shop\.example: no TLS version in common/,
  ],
  [
    "answers cut short",
    { locations: failing(bad("connect", { httpStatusCode: 200 })) },
    "target_down",
    /breaks off its answers before their end/,
  ],
  [
    "429",
    { locations: failing(bad("assertion", { httpStatusCode: 429 })) },
    "rate_limit",
    /answers 429: it limits the rate of requests, as seen from loc_a and loc_b/,
  ],
  [
    "429 every now and then",
    {
      locations: everywhere(...times(9, [ok(), bad("assertion", { httpStatusCode: 429 })]).flat()),
    },
    "rate_limit",
    /limits the rate/,
  ],
  [
    "401",
    { locations: failing(bad("http", { httpStatusCode: 401 })) },
    "access_refused",
    /refuses the credentials .* look whether the check's credentials expired/,
  ],
  [
    "503 until later",
    {
      locations: failing(
        bad("assertion", { httpStatusCode: 503, evidence: evidence({ asksToComeBack: true }) }),
      ),
    },
    "maintenance_page",
    /shows a maintenance page/,
  ],
  [
    "redirects without end",
    { locations: failing(bad("http", { httpStatusCode: 302 })) },
    "redirect_loop",
    /redirects that lead to no answer/,
  ],
  [
    "a page without another party's script",
    { locations: failing(bad("timeout", { evidence: evidence({ failedHosts: ["cdn.example.net"] }) })) },
    "third_party_fault",
    /needs from cdn\.example\.net, another party/,
  ],
  [
    "another structure",
    {
      locations: failing(
        bad("assertion", { httpStatusCode: 200, evidence: evidence({ hasOtherStructure: true }) }),
      ),
    },
    "schema_change",
    /another structure than the check expects/,
  ],
  [
    "an error in the page",
    { locations: failing(bad("script", { evidence: evidence({ pageError: "x is not defined" }) })) },
    "unexpected_answer",
    /an error in the page: x is not defined/,
  ],
  [
    "slow for longer than fast",
    { locations: everywhere(...times(40, slow), ...times(15, ok())) },
    "slow_phase",
    /takes 900 ms instead of 50 ms/,
  ],
  ["expires soon", { certificate: certificate(13.5) }, "tls", /expires in 13 days/],
  [
    "one location",
    { locations: [location("loc_a", ...times(3, bad("timeout")), ok()), location("loc_b", ok(), ok())] },
    "location_only",
    /fails only from loc_a, and works from loc_b/,
  ],
  [
    "one location without DNS",
    {
      locations: [
        location("loc_a", bad("dns"), ok()),
        location("loc_b", ok(), ok()),
        location("loc_c", ok(), ok()),
      ],
    },
    "location_only",
    /fails only from loc_a/,
  ],
  [
    "on and off",
    { locations: everywhere(bad("connect"), ok(), bad("connect"), ok(), bad("connect"), ok(), ok()) },
    "flapping",
    /flapping as seen from loc_a and loc_b: 5 changes/,
  ],
  [
    "slower",
    { locations: everywhere(...times(5, slow), ...times(15, ok())) },
    "slow_phase",
    /takes 900 ms instead of 50 ms .* time to first byte: 850 ms instead of 30 ms/,
  ],
  [
    "failing since a deployment",
    { locations: failing(bad("assertion", { httpStatusCode: 500 })), deployments: deployed(8) },
    "deployment_regression",
    /fails since 2026-06-01T11:57:00Z, 5 min after shop 42 was deployed/,
  ],
  [
    "slow since a deployment",
    { locations: everywhere(...times(5, slow), ...times(15, ok())), deployments: deployed(6) },
    "deployment_regression",
    /got slower since 2026-06-01T11:55:00Z, 1 min after shop 42/,
  ],
  [
    "no runner",
    { missing: [{ locationId: "loc_a" as LocationId, expected: 100, reasons: { no_runner: 30 } }] },
    "runner_fault",
    /30 runs of shop\.example are missing at loc_a, because no runner was connected/,
  ],
  [
    "each location fails in another way",
    { locations: [location("loc_a", bad("dns"), ok()), location("loc_b", bad("tls"), ok())] },
    "target_down",
    /gives no usable answer/,
  ],
];

it.each(cases)("%s", (_, overrides, type, summary) => {
  const insight = classify(anInput(overrides));
  expect(insight.summary).toMatch(summary);
  expect(insight.type).toBe(type);
  expect(insight.confidence).toBeGreaterThan(0);
  expect(insight.confidence).toBeLessThanOrEqual(1);
  expect(insight.evidence).not.toEqual([]);
});

describe("evidence that is not enough for a finding", () => {
  it.each<[string, Partial<AnalysisInput>, InsightType]>([
    [
      "a deployment after the trouble began",
      { locations: failing(bad("connect")), deployments: deployed(2) },
      "target_down",
    ],
    [
      "a deployment 31 minutes before",
      { locations: failing(bad("connect")), deployments: deployed(34) },
      "target_down",
    ],
    [
      "a deployment before one of three locations fails",
      {
        locations: [
          location("loc_a", bad("timeout"), bad("timeout"), ok()),
          location("loc_b", ok(), ok()),
          location("loc_c", ok(), ok()),
        ],
        deployments: deployed(8),
      },
      "location_only",
    ],
    [
      "a deployment before the name servers became slow",
      {
        locations: everywhere(
          ...times(5, ok({ timing: { totalMs: 900, ttfbMs: 30, dnsLookupMs: 850 } })),
          ...times(15, ok()),
        ),
        deployments: deployed(6),
      },
      "slow_phase",
    ],
    [
      "a deployment before the rate was limited",
      { locations: failing(bad("assertion", { httpStatusCode: 429 })), deployments: deployed(8) },
      "rate_limit",
    ],
    [
      "429 and 500 in turns",
      {
        locations: everywhere(
          ...times(4, [
            ok(),
            bad("http", { httpStatusCode: 429 }),
            ok(),
            bad("http", { httpStatusCode: 500 }),
          ]).flat(),
        ),
      },
      "flapping",
    ],
    [
      "fast and slow in turns",
      { locations: everywhere(...times(5, slow), ...times(10, [ok(), slow, slow]).flat()) },
      "healthy",
    ],
    ["a deployment before DNS trouble", { locations: failing(bad("dns")), deployments: deployed(8) }, "dns"],
    [
      "a deployment when it fails for as long as is known",
      { locations: everywhere(...times(5, bad("connect"))), deployments: deployed(8) },
      "target_down",
    ],
    ["two changes", { locations: everywhere(ok(), bad("connect"), ok(), ok()) }, "healthy"],
    [
      "twice as slow, by 99 ms",
      { locations: everywhere(...times(5, ok({ timing: { totalMs: 149 } })), ...times(15, ok())) },
      "healthy",
    ],
    [
      "two slow results of the newest five",
      { locations: everywhere(...times(2, slow), ...times(18, ok())) },
      "healthy",
    ],
    ["a certificate good for 14 days", { certificate: certificate(14) }, "healthy"],
    [
      "two missing runs",
      { missing: [{ locationId: "loc_a" as LocationId, expected: 5, reasons: { unknown: 2 } }] },
      "healthy",
    ],
    [
      "missing runs below a tenth",
      { missing: [{ locationId: "loc_a" as LocationId, expected: 100, reasons: { unknown: 9 } }] },
      "healthy",
    ],
    [
      "runs that the service itself kept from its runners",
      {
        missing: [{ locationId: "loc_a" as LocationId, expected: 100, reasons: { service_unavailable: 40 } }],
      },
      "healthy",
    ],
  ])("%s", (_, overrides, type) => {
    expect(classify(anInput(overrides)).type).toBe(type);
  });
});

it("more failing locations, and more failures in a row, raise the confidence", () => {
  const one = classify(anInput({ locations: [location("loc_a", bad("connect"), ok())] }));
  const two = classify(anInput({ locations: everywhere(bad("connect"), ok()) }));
  const repeated = classify(anInput({ locations: failing(bad("connect")) }));
  expect([one, two, repeated].map(({ type, confidence }) => [type, confidence])).toEqual([
    ["target_down", 0.65],
    ["target_down", 0.75],
    ["target_down", 0.85],
  ]);
});

it("other findings are named at the end of the evidence", () => {
  const { type, evidence } = classify(
    anInput({ locations: failing(bad("connect")), certificate: certificate(1) }),
  );
  expect(type).toBe("target_down");
  expect(evidence.at(-1)).toMatch(/^also: The certificate of shop\.example expires in 1 day,/);
});
