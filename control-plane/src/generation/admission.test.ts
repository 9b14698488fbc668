import { DomainError } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { noteTokens, readTokens } from "../platform/language-model/token-store.ts";
import { OPERATOR, type TeamContext } from "../platform/team-context.ts";
import { Generations } from "./admission.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: () => {} });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const context = (): TeamContext => ({ services: test.services, teamId: test.team.teamId, author: OPERATOR });
const allowPerMonth = (count: number) =>
  test.services.knex("plans").update({ generationQuotaPerMonth: count });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as DomainError,
  );

it("the plan's generations of a month are all that a team has; those that fail don't count", async () => {
  await allowPerMonth(2);
  const generations = new Generations();
  const ctx = context();
  const broken = generations.admit(ctx, () => Promise.reject(new Error("no answer")));
  expect((await failure(broken))?.message).toBe("no answer");
  for (let i = 0; i < 2; i++) expect(await generations.admit(ctx, async () => i)).toBe(i);
  const third = await failure(generations.admit(ctx, async () => "third"));
  expect(third).toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("the 2 generations"),
  });
  expect(third?.retryAfterSeconds).toBeGreaterThan(0);
  test.clock.advance((third?.retryAfterSeconds ?? 0) * 1000);
  expect(await generations.admit(ctx, async () => "next month")).toBe("next month");
  await allowPerMonth(0);
  test.team = await test.createTeam();
  expect(await failure(generations.admit(context(), async () => "none"))).toBeInstanceOf(DomainError);
});

it("a team has two under way at a replica, and others are not kept waiting", async () => {
  await allowPerMonth(100);
  const generations = new Generations();
  const ctx = context();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const open = [generations.admit(ctx, () => ended), generations.admit(ctx, () => ended)];
  expect(await failure(generations.admit(ctx, async () => {}))).toMatchObject({ code: "rate_limited" });
  test.team = await test.createTeam();
  expect(await generations.admit(context(), async () => "of another team")).toBe("of another team");
  end();
  await Promise.all(open);
  expect(await generations.admit(ctx, async () => "again")).toBe("again");
});

it("tokens are summed by calendar month", async () => {
  const db = test.services.knex;
  const [june, july] = [Date.UTC(2031, 5, 30, 23, 59), Date.UTC(2031, 6, 1)];
  await noteTokens(db, june, { inputTokens: 10, outputTokens: 5 });
  await noteTokens(db, june, { inputTokens: 1, outputTokens: 1 });
  await noteTokens(db, july, { inputTokens: 3, outputTokens: 0 });
  expect([await readTokens(db, june), await readTokens(db, july), await readTokens(db, 0)]).toEqual([
    17, 3, 0,
  ]);
});
