import type { TeamId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { createChecksApp } from "../../../test-support/checks-app.ts";
import { createApiKey } from "../../accounts/api-keys/create-api-key.ts";
import { deleteApiKey } from "../../accounts/api-keys/delete-api-key.ts";
import { OPERATOR } from "../../platform/team-context.ts";
import { findSummary } from "./registry.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createChecksApp();
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const ctx = () => ({ services: test.services, teamId: test.team.teamId, author: OPERATOR });
const eventsOf = (teamId: TeamId) =>
  test.services
    .knex("derivedEvents")
    .where({ teamId })
    .where("name", "like", "synthetics.credential.%")
    .orderBy("occurredAt")
    .orderBy("name");

describe("a key", () => {
  it("that the operator makes and revokes is recorded without its secret", async () => {
    const { id, secret } = await createApiKey(ctx(), { name: "CI", source: "manual" });
    await deleteApiKey(ctx(), id);
    const events = await eventsOf(test.team.teamId);
    const attributes = {
      "synthetics.change.resource_type": "api_key",
      "synthetics.change.resource_id": id,
      "synthetics.change.resource_name": "CI",
      "synthetics.change.source": "api",
      "synthetics.change.actor": null,
    };
    expect(events).toMatchObject([
      { name: "synthetics.credential.created", severity: "info", attributes },
      { name: "synthetics.credential.revoked", severity: "info", attributes },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it("of runners is recorded with who made it, and in words", async () => {
    const { body } = await test.call("POST", "/api/locations", { name: "office" });
    const url = `/api/locations/${body.location.id}/keys`;
    const made = await test.call("POST", url, { name: "rack 1" });
    const [event, ...others] = await eventsOf(test.team.teamId);
    expect(others).toEqual([]);
    expect(event.attributes).toMatchObject({
      "synthetics.change.resource_type": "runner_key",
      "synthetics.change.resource_id": made.body.key.id,
      "synthetics.change.actor": test.team.apiKeyId,
    });
    expect(findSummary(event.name, event.attributes)).toBe("the runner key rack 1 was made");
  });
});

it("a change that is undone leaves no event, and other changes cause none", async () => {
  await test.call("POST", "/api/locations", { name: "office" });
  const undone = test.services.knex.transaction(async (trx) => {
    await createApiKey(
      { ...ctx(), services: { ...test.services, knex: trx } },
      { name: "x", source: "manual" },
    );
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await eventsOf(test.team.teamId)).toEqual([]);
});
