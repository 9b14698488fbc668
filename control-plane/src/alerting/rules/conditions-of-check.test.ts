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
  const locations = ["loc_us_east", "loc_eu_central"];
  const several = (minLocations: number) => ({ type: "multi_location_failure", minLocations });
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
    ["two locations of one", aCheck(), several(2), "it needs 2 locations, and the check has 1"],
    ["two locations of two", aCheck({ locations }), several(2), undefined],
    [
      "three locations of two",
      aCheck({ locations }),
      several(3),
      "it needs 3 locations, and the check has 2",
    ],
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

  it("locations that leave a rule behind are refused with the rule's name, and other changes of the check are not", async () => {
    const own = await test.newCheck({ locations });
    await test.newRule(own, { name: "Both", conditions: [several(2)] });
    const put = (body: object) => test.call("PUT", `/api/checks/${own.id}`, body);
    const refused = await put({ locations: ["loc_us_east"] });
    expect(refused.status).toBe(400);
    expect(refused.body.details.fieldErrors.locations).toEqual([
      expect.stringMatching(/alert rule "Both" \(alert_\w+\): multi_location_failure can never hold here/),
    ]);
    const { locationIds } = await test.services.knex("checks").where({ id: own.id }).first();
    expect(locationIds).toEqual(locations);
    expect((await put({ locations: ["loc_us_east", "loc_us_west"] })).status).toBe(200);
  });

  it("a rule that could not hold before leaves every change of its check allowed", async () => {
    const own = await test.newCheck({ locations: ["loc_us_east", "loc_eu_central"] });
    const ruleId = await test.newRule(own, { conditions });
    const stored = JSON.stringify([several(5)]);
    await test.services.knex("alertRules").where({ id: ruleId }).update({ conditions: stored });
    const url = "http://127.0.0.1:9/other";
    for (const body of [{ name: "Renamed" }, { locations: ["loc_us_east"] }, { configJson: { url } }])
      expect((await test.call("PUT", `/api/checks/${own.id}`, body)).status).toBe(200);
  });
});
