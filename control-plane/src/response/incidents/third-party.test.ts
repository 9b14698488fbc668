import { MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createIncidentTest, EAST, EUROPE, type IncidentTest } from "../../../test-support/incident-test.ts";
import { registerSloRoutes } from "../../alerting/slos/routes.ts";
import { registerThirdPartyPatternRoutes } from "../../checks/third-party-patterns/routes.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest({
    register: (app, services) => {
      registerSloRoutes(app, services);
      registerThirdPartyPatternRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

it("alerts of a third party's SLO are one incident of no check, with the checks that fail on its host", async () => {
  const pattern = { name: "CDN", hostPattern: "*.example.com" };
  const { id: patternId } = (await test.call("POST", "/api/third-party-patterns", pattern)).body.pattern;
  await test.call("POST", "/api/slos", {
    name: "CDN up",
    sloType: "third_party",
    patternId,
    targetBasisPoints: 9_900,
    windowDays: 7,
    channelIds: [test.channels.webhook, test.channels.chat],
  });
  const shop = await test.watched("https://shop.test/", { locations: [EAST, EUROPE] });
  await test.deliver(shop, [
    { slotMs: test.now() - MINUTE_MS, requests: [{ host: "cdn.example.com", total: 10, good: 5 }] },
  ]);
  await test.evaluator.evaluateSlosNow(test.services.knex);
  await test.process();
  const [incident, ...others] = await test.incidents();
  expect(others).toEqual([]);
  expect(incident).toMatchObject({ title: expect.stringContaining("CDN up: "), state: "open" });
  const { events, alerts } = await test.detail(incident.incidentId ?? incident.id);
  expect(alerts.map(({ checkId }: { checkId: unknown }) => checkId)).toEqual([null, null]);
  expect(events[0].payload.observations.sources).toEqual([]);
  expect(await test.notifiedTo("webhook")).toContain("incident.opened");
  expect(await test.notifiedTo("chat")).toContain("incident.opened");
});
