import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import type { LanguageModel } from "../../platform/language-model/language-model.ts";
import { wordHypotheses } from "./word-hypotheses.ts";
import { readUnwordedIncidents } from "./wording-store.ts";

let test: IncidentTest;
const asked: string[] = [];
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(async () => {
  asked.splice(0);
  await test.services.knex("hypothesisWordings").delete();
  await test.services.knex("incidents").update({ state: "closed" });
  await test.beginAnew();
});

async function anIncident(): Promise<string> {
  await test.fail(await test.watched("https://a.example/", { name: "Shop" }));
  await test.process();
  const [incident] = await test.incidents();
  return incident.id;
}

/** Has the model word what waits, by this answer. */
async function word(
  answer: (input: { facts: { text: string }[] }) => unknown,
  signal = new AbortController().signal,
) {
  const model: LanguageModel = {
    name: "test-model",
    write: async ({ input }) => {
      asked.push(input);
      const said = answer(JSON.parse(input));
      if (said instanceof Error) throw said;
      return JSON.stringify({ claims: said });
    },
  };
  await wordHypotheses(test.services, { model, signal });
}
const GOOD = [{ text: "Look at it first.", factIds: [1] }];
const wordingOf = async (id: string) => (await test.call("GET", `/api/incidents/${id}`)).body.wording;

it("a hypothesis is worded once, with its facts, and stands beside the rules'", async () => {
  const id = await anIncident();
  const before = (await test.detail(id)).incident.hypothesis;
  expect(await wordingOf(id)).toBeNull();
  await word(() => [...GOOD, { text: "The provider Initech is down.", factIds: [1] }]);
  await word(() => GOOD);
  expect(asked).toHaveLength(1);
  const wording = await wordingOf(id);
  expect(wording).toMatchObject({ claims: [{ text: "Look at it first.", facts: [0] }], model: "test-model" });
  expect(wording.facts.at(-1)).toBe(`by the rules: ${before.summary}`);
  expect(wording.facts).toEqual(expect.arrayContaining(before.ruledIn));
  expect((await test.detail(id)).incident.hypothesis).toEqual(before);
});

it.each([
  ["nothing that its facts bear out", () => [{ text: "The provider Initech is down.", factIds: [1] }]],
  ["nothing at all", () => new Error("no answer")],
])("a model that says %s is not asked again and again", async (_title, answer) => {
  const id = await anIncident();
  await word(answer);
  await word(() => GOOD);
  expect([asked.length, await wordingOf(id)]).toEqual([1, null]);
});

it("a model that did not answer is asked again after a pause", async () => {
  const id = await anIncident();
  await word(() => new Error("no answer"));
  test.clock.advance(6 * 60_000);
  await word(() => GOOD);
  expect([asked.length, (await wordingOf(id)).model]).toEqual([2, "test-model"]);
});

it("a hypothesis that has changed is worded anew, after a pause and not without end", async () => {
  const id = await anIncident();
  await word(() => GOOD);
  const { knex } = test.services;
  for (let change = 1; change <= 7; change++) {
    await knex.raw(
      `UPDATE incidents SET hypothesis = jsonb_set(hypothesis, '{summary}', to_jsonb(?::text)) WHERE id = ?`,
      [`It changed ${change} times`, id],
    );
    expect(await wordingOf(id)).toBeNull();
    await word(() => GOOD);
    expect(await wordingOf(id)).toBeNull();
    test.clock.advance(6 * 60_000);
    await word(() => GOOD);
  }
  expect(asked).toHaveLength(5);
});

it("nothing is stored of a question that was given up, nor of an incident that is over", async () => {
  const id = await anIncident();
  const ended = new AbortController();
  await word(() => {
    ended.abort();
    return new Error("given up");
  }, ended.signal);
  expect(await test.services.knex("hypothesisWordings").where({})).toEqual([]);
  await test.services.knex("incidents").where({ id }).update({ state: "closed" });
  await word(() => GOOD);
  expect(asked).toHaveLength(1);
});

it("a team with many incidents has its day's share, and holds up no other team", async () => {
  await anIncident();
  const { knex } = test.services;
  const [row] = await knex("incidents").where({ state: "open" });
  const { key: _, ...columns } = row;
  for (let i = 0; i < 10; i++)
    await knex("incidents").insert({
      ...columns,
      id: `${columns.id}x${i}`,
      hypothesis: JSON.stringify(columns.hypothesis),
      observations: JSON.stringify(columns.observations),
    });
  const waiting = await readUnwordedIncidents(knex, { nowMs: test.now(), rowsMax: 4 });
  expect(waiting).toHaveLength(1);
  for (let i = 0; i < 12; i++) await word(() => GOOD);
  expect(asked).toHaveLength(11);
  await knex("hypothesisWordings").update({ tries: 5 });
  await knex("incidents").insert({
    ...columns,
    id: `${columns.id}y`,
    hypothesis: JSON.stringify(columns.hypothesis),
    observations: JSON.stringify(columns.observations),
  });
  expect(await readUnwordedIncidents(knex, { nowMs: test.now(), rowsMax: 4 })).toEqual([]);
});
