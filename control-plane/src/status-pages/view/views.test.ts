import { MINUTE_MS, newId } from "@svc/contract";
import { expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { createCheck } from "../../../test-support/checks-app.ts";
import { useStatusPages } from "../../../test-support/status-page-test.ts";
import { StatusViews } from "./views.ts";

let test: TestApp;
const { aPage } = useStatusPages((app) => {
  test = app;
});

/** Publishes pages of one check each, and returns their slugs. */
async function pages(count: number): Promise<string[]> {
  const { knex } = test.services;
  const check = await createCheck(test);
  const first = await aPage({ components: [{ name: "Web", checkId: check.id }] });
  const { key, ...row } = await knex("statusPages").where({ id: first.id }).first();
  const slugs = Array.from({ length: count - 1 }, (_, nth) => `${row.slug}-${nth}`);
  const rows = await knex("statusPages")
    .insert(slugs.map((slug) => ({ ...row, slug, id: newId("statusPage") })))
    .returning("key");
  const { pageKey, ...component } = await knex("statusPageComponents").where({ pageKey: key }).first();
  await knex("statusPageComponents").insert(rows.map((one) => ({ ...component, pageKey: one.key })));
  return [row.slug, ...slugs];
}

it("keeps the days of more than 200 pages, and reads those of few at a time", async () => {
  const { knex, clock } = test.services;
  const slugs = await pages(230);
  const views = new StatusViews(test.services);
  let [readings, most] = [0, 0];
  const running = new Set<string>();
  const isOfDays = ({ sql }: { sql: string }) => sql.includes("FROM rollups");
  const began = (query: { sql: string; __knexQueryUid: string }) => {
    if (!isOfDays(query)) return;
    running.add(query.__knexQueryUid);
    readings++;
    most = Math.max(most, running.size);
  };
  const ended = (_: unknown, query: { __knexQueryUid: string }) => running.delete(query.__knexQueryUid);
  knex.on("query", began).on("query-response", ended);
  const round = () => Promise.all(slugs.map((slug) => views.ofSlug(slug)));
  const shown = await round();
  expect(shown.map((view) => view?.slug)).toEqual(slugs);
  expect(readings).toBe(230);
  expect(most).toBeLessThanOrEqual(4);
  test.clock.advance(MINUTE_MS);
  const nowMs = clock.nowMs();
  expect((await round()).every((view) => view?.asOf === new Date(nowMs).toISOString())).toBe(true);
  expect(readings).toBe(230);
  knex.removeListener("query", began).removeListener("query-response", ended);
});
