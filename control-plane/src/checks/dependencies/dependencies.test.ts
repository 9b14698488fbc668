import { newId } from "@svc/contract";
import { expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { createCheck, useChecksApp } from "../../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

const named = (name: string, dependsOn: string[] = []) =>
  createCheck(test, { name, ...(dependsOn.length > 0 && { dependsOn }) } as Parameters<
    typeof createCheck
  >[1]);
const put = (id: string, body: object) => test.call("PUT", `/api/checks/${id}`, body);
const dependsOn = async (id: string) => (await test.call("GET", `/api/checks/${id}`)).body.check.dependsOn;

it("a check that depends on others says so; the list, too; one that depends on none has no such field", async () => {
  const database = await named("database");
  const shop = await named("shop", [database.id]);
  expect([database.dependsOn, shop.dependsOn]).toEqual([undefined, [database.id]]);
  const { body } = await test.call("GET", "/api/checks?view=summary");
  const listed = body.checks.map(({ name, dependsOn: on }: { name: string; dependsOn?: string[] }) => [
    name,
    on,
  ]);
  expect(listed).toEqual([
    ["shop", [database.id]],
    ["database", undefined],
  ]);
  expect((await put(shop.id, { dependsOn: [] })).status).toBe(200);
  expect(await dependsOn(shop.id)).toBeUndefined();
});

it("what else is changed leaves it as it is, and the change log has both values", async () => {
  const [a, b] = [await named("a"), await named("b")];
  const shop = await named("shop", [a.id]);
  await put(shop.id, { name: "the shop" });
  expect(await dependsOn(shop.id)).toEqual([a.id]);
  await put(shop.id, { dependsOn: [b.id, a.id] });
  const [entry] = await test.services
    .knex("changes")
    .where({ resourceId: shop.id })
    .orderBy("createdAt", "desc");
  const fields = await test.services
    .knex("changes")
    .where({ resourceId: shop.id, action: "updated" })
    .select("changedFields");
  expect(entry).toBeDefined();
  expect(JSON.stringify(fields)).toContain(JSON.stringify([b.id, a.id]));
});

it("circles are refused, with the names of the checks in their order, be they of one, two or four", async () => {
  const a = await named("a");
  const b = await named("b", [a.id]);
  const c = await named("c", [b.id]);
  const d = await named("d", [c.id]);
  for (const [id, on, circle] of [
    [a.id, a.id, "a -> a"],
    [a.id, b.id, "a -> b -> a"],
    [a.id, d.id, "a -> d -> c -> b -> a"],
  ] as const) {
    const answer = await put(id, { dependsOn: [on] });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(circle)]);
    expect(JSON.stringify(answer.body)).toContain("dependsOn");
  }
  expect((await put(d.id, { dependsOn: [c.id, a.id, b.id] })).status).toBe(200);
});

it("no check depends on more than 100, directly and through others, by a change of its own or of one above it", async () => {
  const { knex } = test.services;
  const tail = await named("tail");
  const top = await named("top");
  /** Inserts checks by SQL, each of which depends on the one before it. */
  const chain = async (count: number, below: string) => {
    const row = await knex("checks").where({ id: tail.id }).first();
    const ids = Array.from({ length: count }, () => newId("check"));
    const { key: _key, storedBytes: _bytes, ...columns } = row;
    await knex("checks").insert(
      ids.map((id, i) => ({ ...columns, id, name: `n${i}`, dependsOn: [ids[i - 1] ?? below] })),
    );
    return ids.at(-1) as string;
  };
  const before = await chain(99, top.id);
  expect((await put(tail.id, { dependsOn: [before] })).status).toBe(200);
  const refused = await put((await named("one more")).id, { dependsOn: [tail.id] });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining(
      "the check would depend on more than 100 checks, directly and through others; largest is 100",
    ),
  ]);
  const above = await named("above");
  const fromAbove = await put(top.id, { dependsOn: [above.id] });
  expect([fromAbove.status, JSON.stringify(fromAbove.body)]).toEqual([
    400,
    expect.stringContaining("tail, which depends on this check, would depend on more than 100"),
  ]);
  expect((await put(tail.id, { dependsOn: [] })).status).toBe(200);
  expect((await put(top.id, { dependsOn: [above.id] })).status).toBe(200);
});

it("checks that don't exist, those of another team, too many and repeated ones are refused", async () => {
  const mine = await named("mine");
  const other = test.team;
  test.team = await test.createTeam();
  const foreign = await named("foreign");
  test.team = other;
  const many = Array.from({ length: 11 }, () => newId("check"));
  for (const ids of [[newId("check")], [foreign.id], ["database"], many, [mine.id, mine.id]]) {
    const answer = await test.call("POST", "/api/checks", {
      ...{ name: "n", type: "http", locations: ["loc_us_east"], httpConfig: { url: "https://a.example/" } },
      dependsOn: ids,
    });
    expect([ids, answer.status]).toEqual([ids, 400]);
    expect(JSON.stringify(answer.body)).toContain("dependsOn");
  }
});

it("a check on which others depend can be deleted: they go on without it, and the change log says so", async () => {
  const [a, b] = [await named("a"), await named("b")];
  const both = await named("both", [a.id, b.id]);
  const one = await named("one", [a.id]);
  expect((await test.call("DELETE", `/api/checks/${a.id}`)).status).toBe(200);
  expect([await dependsOn(both.id), await dependsOn(one.id)]).toEqual([[b.id], undefined]);
  const changed = await test.services
    .knex("changes")
    .whereIn("resourceId", [both.id, one.id])
    .where({ action: "updated" })
    .pluck("name");
  expect(changed.sort()).toEqual(["both", "one"]);
});

it("two changes at once that make a circle together: one of them is refused", async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await named("a"), await named("b")];
    const answers = await Promise.all([put(a.id, { dependsOn: [b.id] }), put(b.id, { dependsOn: [a.id] })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  }
});

it("a deletion and a check that begins to depend on what is deleted: no id of a deleted check stays", async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await named("a"), await named("b")];
    const [, update] = await Promise.all([
      test.call("DELETE", `/api/checks/${a.id}`),
      put(b.id, { dependsOn: [a.id] }),
    ]);
    expect([200, 400]).toContain(update.status);
    expect(await dependsOn(b.id)).toBeUndefined();
  }
});
