import type { TeamId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { assertWithinPlan, loadPlan, type Plan } from "./plans.ts";

const free: Plan = {
  name: "free",
  maxChecks: 10,
  maxLocationsPerCheck: 1,
  minFrequencySeconds: 10,
  analysisQuotaPerMonth: 50,
  generationQuotaPerMonth: 200,
};
const unlimited: Plan = {
  name: "self_hosted",
  maxChecks: null,
  maxLocationsPerCheck: null,
  minFrequencySeconds: 10,
  analysisQuotaPerMonth: 50,
  generationQuotaPerMonth: 200,
};

describe("assertWithinPlan", () => {
  it.each([
    ["the last check that fits", free, { checkCount: 10, locationCount: 1, frequencySeconds: 10 }, undefined],
    [
      "one check too many",
      free,
      { checkCount: 11, locationCount: 1, frequencySeconds: 10 },
      "Plan free allows at most 10 checks; this would be number 11",
    ],
    [
      "one location too many",
      free,
      { locationCount: 2, frequencySeconds: 10 },
      "Plan free allows at most 1 location per check; got 2",
    ],
    [
      "too often",
      { ...free, minFrequencySeconds: 60 },
      { locationCount: 1, frequencySeconds: 59 },
      "Plan free allows a frequency of at least 60 seconds; got 59",
    ],
    ["anything", unlimited, { checkCount: 1e6, locationCount: 100, frequencySeconds: 10 }, undefined],
  ])("%s", (_name, plan, use, message) => {
    const judge = () => assertWithinPlan(plan, use);
    if (message === undefined) expect(judge).not.toThrow();
    else expect(judge).toThrow(expect.objectContaining({ code: "limit_exceeded", message }));
  });
});

describe("loadPlan", () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp();
  });
  afterAll(() => test.close());

  it("answers the team's plan", async () => {
    const team = await test.createTeam("free");
    expect(await loadPlan(test.services.knex, team.teamId)).toEqual(free);
    expect(await loadPlan(test.services.knex, test.team.teamId)).toEqual(unlimited);
  });

  it("throws not_found for a team that is not", async () => {
    await expect(loadPlan(test.services.knex, "team_x" as TeamId)).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
