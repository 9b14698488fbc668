import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { aTeam, testServices } from "../../test-support/fleet.ts";
import { warnOfOpenNetwork } from "./warn-of-open-network.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** Number of warnings that one look writes. */
async function warnings(isEgressPrivateByDefault: boolean): Promise<number> {
  const services = testServices(database.knex);
  services.config.isEgressPrivateByDefault = isEgressPrivateByDefault;
  const warn = vi.spyOn(services.log, "warn").mockImplementation(() => undefined);
  await warnOfOpenNetwork(services).close();
  return warn.mock.calls.length;
}

it("warns once two teams share a service that reaches private addresses by default", async () => {
  await aTeam(database.knex);
  expect(await warnings(true)).toBe(0);
  await aTeam(database.knex);
  expect(await warnings(true)).toBe(1);
  expect(await warnings(false)).toBe(0);
});
