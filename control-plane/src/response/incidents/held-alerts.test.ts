import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import { reviewHolds } from "../../alerting/holds/review-holds.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const review = () => reviewHolds(test.services.knex, test.now());

async function aPair() {
  const parent = await test.watched("https://db.example/", { name: "Database" });
  const child = await test.watched("https://shop.test/", { name: "Shop" });
  const { status } = await test.call("PUT", `/api/checks/${child.id}`, { dependsOn: [parent.id] });
  expect(status).toBe(200);
  return { parent, child };
}

it("the incident of the alert that is the cause lists the one that is held back, and nothing else counts or tells of it", async () => {
  const { parent, child } = await aPair();
  await test.fail(child);
  await test.fail(parent);
  await review();
  await test.process();
  const [incident, ...others] = await test.incidents();
  expect(others).toEqual([]);
  const { alerts } = await test.detail(incident.id);
  const shown = alerts.map(({ checkName, heldBack }: { checkName: string; heldBack?: { text: string } }) => [
    checkName,
    heldBack?.text,
  ]);
  expect(shown.sort()).toEqual([
    ["Database", undefined],
    ["Shop", "held back: depends on Database, which is failing"],
  ]);
  expect([incident.memberCount, incident.openMemberCount]).toEqual([1, 1]);
  for (const channel of ["webhook", "chat", "paging"] as const)
    expect(await test.notifiedTo(channel)).toEqual(["incident.opened"]);
  expect(await test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
});

it("released, it has an incident like any other, and every channel is notified once", async () => {
  const { parent, child } = await aPair();
  await test.fail(parent);
  await test.fail(child);
  await review();
  await test.process();
  test.clock.advance(60_000);
  await test.succeed(parent);
  await review();
  test.clock.advance(1_000);
  await test.fail(child);
  test.clock.advance(400_000);
  await review();
  await test.process();
  const incidents = await test.incidents();
  const alerts = await Promise.all(
    incidents.map(async ({ id }: { id: string }) =>
      (await test.detail(id)).alerts.map(({ checkName }: { checkName: string }) => checkName),
    ),
  );
  expect(alerts.flat().sort()).toEqual(["Database", "Shop"]);
  expect((await test.notifiedTo("alertsOnly")).filter((kind) => kind === "triggered")).toHaveLength(2);
  const raised = (await test.notifiedTo("paging")).filter((kind) => /opened|attached/.test(kind));
  expect(raised).toHaveLength(2);
});

it("acknowledged while it was held, it is acknowledged in its incident, and a page is", async () => {
  const { child } = await aPair();
  await test.fail(child);
  const { body } = await test.call("GET", `/api/alerts/instances?checkId=${child.id}`);
  const path = `/api/alerts/instances/${body.instances[0].id}/acknowledge`;
  expect((await test.call("POST", path)).status).toBe(200);
  await test.process();
  test.clock.advance(60_000);
  await review();
  await test.process();
  expect(await test.notifiedTo("paging")).toEqual(["incident.opened", "acknowledged"]);
  expect(await test.notifiedTo("alertsOnly")).toEqual(["triggered", "acknowledged"]);
  const member = await test.services
    .knex("incidentMembers")
    .where({ instanceId: body.instances[0].id })
    .first("acknowledgedAt");
  expect(member.acknowledgedAt).not.toBeNull();
});
