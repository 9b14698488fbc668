/** Checkly's lists: which part becomes which field. */
import { describe, expect, it } from "vitest";
import { CHECKLY } from "../../../test-support/exports/checkly.ts";
import { imported } from "../../../test-support/imported.ts";

describe("checkly", () => {
  const { monitors, channels, scripts, notes } = imported("checkly", CHECKLY);

  it("an API check has its request, what its group adds, its assertions and Checkly's own rules", () => {
    expect(monitors["Orders API"]).toMatchObject({
      url: "https://api.example.com/orders?q=a%20b",
      method: "POST",
      headers: { "X-Key": "{{secrets.API_KEY}}", "Content-Type": "application/json" },
      auth: { type: "basic", username: "{{secrets.ORDERS_API_USERNAME}}" },
      body: '{"token":"{{secrets.ORDERS_API_TOKEN}}"}',
      followRedirects: false,
      labels: ["api", "group:Shop", "shop"],
      retry: { strategy: "linear", maxRetries: 5 },
      assertions: [
        { type: "status_code", operator: "less_than", value: 400 },
        { type: "status_code", value: 200 },
        { type: "body_json_path", path: "$.count", value: 3 },
        { type: "header_value", header: "content-type", operator: "contains", value: "json" },
        { type: "body_matches", pattern: "^(?![\\s\\S]*(?:error))" },
        { type: "response_time", max: 900 },
        { type: "response_time", max: 5000 },
      ],
    });
    expect(notes).toContain("[0]: no location of svc is certainly that of us-west-1");
    expect(notes).toContain("[0]: retry: maxRetries is 9; largest is 5, which it is now");
    expect(notes).toContain("[0].localSetupScript: no script runs before a request");
  });

  it("its rules notify the channels of the check and of its group: failures, slow responses, certificates", () => {
    expect(monitors["Orders API"]?.alerts).toEqual([
      { conditions: [{ type: "consecutive_failures" }], channels: ["@ops@example.com", "@#ops"] },
      { conditions: [{ type: "response_time_threshold", maxMs: 2000 }], channels: ["@ops@example.com"] },
      { conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 10 }], channels: ["@ops@example.com"] },
    ]);
    expect(channels).toMatchObject({ "#ops": { type: "chat" }, Hook: { type: "webhook" } });
    expect(monitors.Page?.alerts).toMatchObject([{ conditions: [{ count: 1 }], channels: ["@Hook"] }]);
  });

  it("a browser check brings its script as it is, and a check that should fail asks for a failure", () => {
    expect(monitors.Checkout).toMatchObject({
      frequency: "30s",
      enabled: false,
      locations: ["loc_eu_west_2"],
    });
    expect(scripts.Checkout).toContain("https://example.org/${path}");
    expect(scripts["API flow"]).toContain("async ({ request })");
    expect(monitors.Page).toMatchObject({
      url: "https://{{secrets.HOST}}/page",
      assertions: [{ type: "status_code", operator: "greater_than", value: 399 }],
    });
  });

  it("failing for some minutes is so many failures in a row", () => {
    const [[check], , channelList] = CHECKLY as [Record<string, unknown>[], unknown, unknown];
    const alertSettings = {
      escalationType: "TIME_BASED",
      timeBasedEscalation: { minutesFailingThreshold: 10 },
    };
    const timed = imported("checkly", [[{ ...check, groupId: null, alertSettings }], channelList as object]);
    expect(timed.monitors["Orders API"]?.alerts).toMatchObject([{ conditions: [{ count: 3 }] }, {}, {}]);
  });
});
