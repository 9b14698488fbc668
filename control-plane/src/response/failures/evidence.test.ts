import type { NetworkRequest } from "@svc/contract";
import { expect, it } from "vitest";
import { type EvidentDetail, evidenceOf } from "./evidence.ts";
import type { Failure, FailureEvidence } from "./failure.ts";
import { reasonOf } from "./registry.ts";

const request = (url: string, more: Partial<NetworkRequest> = {}): NetworkRequest => ({
  url,
  method: "GET",
  resourceType: "script",
  httpStatusCode: 200,
  startedAt: "2026-06-01T12:00:00.000Z",
  durationMs: 1,
  responseBytes: null,
  ...more,
});
const page = request("https://www.shop.example.com/", { resourceType: "document" });
const failed = (url: string, more: Partial<NetworkRequest> = {}) =>
  request(url, { httpStatusCode: 503, ...more });
const answered = (httpStatusCode: number, headers: Record<string, string> = {}) => ({
  response: {
    url: "https://shop.example.com/",
    httpStatusCode,
    headers,
    body: "",
    bodyBytes: 0,
    wasTruncated: false,
  },
});
const path = (expected: unknown, actual: unknown) => ({
  type: "body_json_path",
  passed: false,
  expected,
  actual,
});

it.each<[string, EvidentDetail, Partial<FailureEvidence>]>([
  ["nothing", {}, { asksToComeBack: false, failedHosts: [], hasOtherStructure: false, pageError: null }],
  ["a time to come back", answered(503, { "retry-after": "60" }), { asksToComeBack: true }],
  [
    "another party's script",
    { networkRequestsJson: [page, failed("https://cdn.net/a.js")] },
    { failedHosts: ["cdn.net"] },
  ],
  [
    "another party's data, that nothing answered",
    {
      networkRequestsJson: [
        page,
        request("https://api.pay.com/", {
          resourceType: "fetch",
          httpStatusCode: null,
          errorText: "net::ERR",
        }),
      ],
    },
    { failedHosts: ["api.pay.com"] },
  ],
  [
    "the shop's own script",
    { networkRequestsJson: [page, failed("https://static.example.com/a.js")] },
    { failedHosts: [] },
  ],
  [
    "another party's picture",
    { networkRequestsJson: [page, failed("https://cdn.net/a.png", { resourceType: "image" })] },
    { failedHosts: [] },
  ],
  [
    "a page that did not come",
    { networkRequestsJson: [failed(page.url, { resourceType: "document" }), failed("https://cdn.net/a.js")] },
    { failedHosts: [] },
  ],
  ["nothing at a path", { assertions: [path("ok", null)] }, { hasOtherStructure: true }],
  ["nothing that should exist", { assertions: [path(true, false)] }, { hasOtherStructure: true }],
  ["another type at a path", { assertions: [path("1", 1)] }, { hasOtherStructure: true }],
  ["another value at a path", { assertions: [path("ok", "bad")] }, { hasOtherStructure: false }],
  [
    "an answer that its document does not describe",
    { assertions: [{ ...path(1, 2), type: "openapi_conformance" }] },
    { hasOtherStructure: true },
  ],
  ["an error page", { ...answered(500), assertions: [path("ok", null)] }, { hasOtherStructure: false }],
  [
    "an assertion of no known type",
    { assertions: [{ ...path(1, 2), type: "of_old" }] },
    { hasOtherStructure: false },
  ],
  [
    "an error in the page",
    { consoleLogsJson: [{ type: "pageerror", text: "x\nis not", at: "2026-06-01T12:00:00.000Z" }] },
    { pageError: "x is not" },
  ],
])("a detail with %s gives its evidence", (_, detail, evidence) => {
  expect(evidenceOf(detail)).toMatchObject(evidence);
});

it("a host that failed in the success before, too, is no reason", () => {
  const requests = {
    networkRequestsJson: [page, failed("https://ads.net/a.js"), failed("https://cdn.net/a.js")],
  };
  const before = { networkRequestsJson: [page, failed("https://ads.net/a.js")] };
  expect(evidenceOf(requests, before).failedHosts).toEqual(["cdn.net"]);
});

it("the reason is the one of most failures, and of none when they differ", () => {
  const failure = (httpStatusCode: number): Failure => ({ category: "http", message: null, httpStatusCode });
  expect(reasonOf([failure(429), failure(429), failure(500)])?.reason.type).toBe("rate_limit");
  expect(reasonOf([failure(429), failure(429), failure(500)])?.explained).toHaveLength(2);
  expect(reasonOf([failure(429), failure(401)])).toBeUndefined();
  expect(reasonOf([])).toBeUndefined();
});
