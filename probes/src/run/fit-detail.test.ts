import type { ResultDetail } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { DETAIL_BYTES_MAX, fitDetail } from "./fit-detail.ts";

const REASON = {
  errorCategory: "assertion",
  errorMessage: "status_code: expected status 200, got 500",
} as const;

function aDetail(body: string, headers: Record<string, string> = {}, assertions = 0): ResultDetail {
  return {
    ...REASON,
    assertions: Array.from({ length: assertions }, (_, index) => ({
      type: "body_contains" as const,
      passed: index % 2 === 0,
      expected: "\u0001".repeat(500),
      actual: "\u0001".repeat(500),
    })),
    response: {
      url: "http://example.test/",
      httpStatusCode: 500,
      headers,
      body,
      bodyBytes: body.length,
      wasTruncated: false,
    },
  };
}

const bytesOf = (detail: ResultDetail) => Buffer.byteLength(JSON.stringify(detail));

describe("fitDetail", () => {
  it("leaves a detail that fits as it is", () => {
    const detail = aDetail("x".repeat(65_536), { a: "b" }, 3);
    expect(fitDetail(detail)).toBe(detail);
  });

  it("cuts a body of control characters, and says so", () => {
    const fitted = fitDetail(aDetail("\u0001".repeat(65_536)));
    expect(bytesOf(fitted)).toBeLessThanOrEqual(DETAIL_BYTES_MAX);
    expect(fitted).toMatchObject({ ...REASON, response: { wasTruncated: true } });
    expect(fitted.response?.body.length).toBeGreaterThan(30_000);
  });

  it("keeps the reason whatever the headers and assertions hold, and failed assertions before others", () => {
    const fitted = fitDetail(aDetail("x", { h: "\u0001".repeat(65_536) }, 100));
    expect(bytesOf(fitted)).toBeLessThanOrEqual(DETAIL_BYTES_MAX);
    expect(fitted).toMatchObject(REASON);
    expect(fitted.assertions?.every(({ passed }) => !passed)).toBe(true);
  });
});
