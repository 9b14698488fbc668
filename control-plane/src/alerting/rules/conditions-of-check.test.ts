/** Conditions that could never hold for a check are refused, in a rule's body and in the check's. */
import type { NewCheck } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { aCheck, anMcpCheck } from "../../../test-support/builders.ts";

let test: AlertTest;
const conditions = [{ type: "consecutive_failures" }];
beforeAll(async () => {
  test = await createAlertTest({});
});
afterAll(() => test.close());

describe("a condition is held against its check", () => {
  const plain = aCheck({ httpConfig: { url: "http://127.0.0.1:9/", followRedirects: false } });
  const page: NewCheck = {
    name: "Page",
    type: "browser",
    locations: ["loc_us_east"],
    browserConfig: { browserMode: "url", url: "http://127.0.0.1:9/" },
  };
  const drift = { type: "mcp_schema_drift" };
  const anomaly = (metric: string) => ({ type: "baseline_anomaly", metric });
  const bodyOf = (condition: object) => ({ conditions: [condition], channelIds: [test.channelId] });

  it.each<[string, NewCheck, object, string | undefined]>([
    ...["ssl_expiry", "ssl_certificate_changed", "ssl_self_signed", "ssl_protocol_deprecated"].flatMap(
      (type): [string, NewCheck, object, string | undefined][] => [
        [`${type}, http:// without redirects`, plain, { type }, `${type} can never hold here`],
        [`${type}, http:// with redirects`, aCheck(), { type }, undefined],
        [`${type}, a page at http://`, page, { type }, undefined],
      ],
    ),
    ["drift of a page", page, drift, "only checks of type mcp"],
    ["drift of a request", aCheck(), drift, "only checks of type mcp"],
    ["drift of a server", anMcpCheck(), drift, undefined],
    ...["lcp", "fcp", "cls"].flatMap((metric): [string, NewCheck, object, string | undefined][] => [
      [
        `${metric} of a request`,
        aCheck(),
        anomaly(metric),
        `baseline_anomaly of ${metric} can never hold here`,
      ],
      [`${metric} of a server`, anMcpCheck(), anomaly(metric), "only checks of type browser"],
      [`${metric} of a page`, page, anomaly(metric), undefined],
    ]),
    ["response time of a server", anMcpCheck(), anomaly("response_time"), undefined],
    ["handshake of a plain request", plain, anomaly("tls_handshake"), undefined],
  ])("%s", async (_name, check, condition, reason) => {
    const own = await test.newCheck(check);
    const ruleId = await test.newRule(own, { conditions });
    for (const answer of [
      await test.call("POST", `/api/checks/${own.id}/alerts`, bodyOf(condition)),
      await test.call("PUT", `/api/alerts/${ruleId}`, { conditions: [condition] }),
    ]) {
      if (reason === undefined) expect(answer.status).toBeLessThan(300);
      else {
        expect(answer).toMatchObject({ status: 400, body: { error: "Validation failed" } });
        expect(answer.body.details.fieldErrors.conditions).toEqual([expect.stringContaining(reason)]);
      }
    }
  });

  it("a configuration that leaves a rule behind is refused with the rule's name, and changes nothing", async () => {
    const own = await test.newCheck();
    await test.newRule(own, { name: "Certificate", conditions: [{ type: "ssl_expiry" }] });
    const put = (configJson: object) => test.call("PUT", `/api/checks/${own.id}`, { configJson });
    const refused = await put({ url: "http://127.0.0.1:9/", followRedirects: false });
    expect(refused.status).toBe(400);
    expect(refused.body.details.fieldErrors.configJson).toEqual([
      expect.stringMatching(/alert rule "Certificate" \(alert_\w+\): ssl_expiry can never hold here/),
    ]);
    const { config } = await test.services.knex("checks").where({ id: own.id }).first();
    expect(config.followRedirects).toBe(true);
    expect((await put({ url: "https://127.0.0.1:9/", followRedirects: false })).status).toBe(200);
  });
});
