/** Counts of several questions at once, over the real database, against the plainest count of what was stored. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aResult } from "../../../test-support/builders.ts";
import { isOnCitus } from "../../../test-support/database.ts";
import {
  bruteForce,
  createSloStories,
  type SloStories,
  type Story,
} from "../../../test-support/slo-story.ts";
import { type CountQuestion, countResults } from "./count-results.ts";

const DAYS = 3;
const COUNTED_THRESHOLD_MS = 100;

let stories: SloStories;
let checkStories: Story[];
let nowMs: number;

/** Two checks with results at odd instants, of which the last 40 minutes are not rolled up, and windows that held for them. */
beforeAll(async () => {
  stories = await createSloStories();
  const { clock } = stories.app;
  const beginMs = clock.nowMs() + 12_345;
  checkStories = [await stories.newStory(), await stories.newStory()];
  for (const story of checkStories) {
    await stories.newObjective(story, { thresholdMs: COUNTED_THRESHOLD_MS });
    for (const hours of [22, 46, 69]) {
      const startsAtMs = beginMs + hours * HOUR_MS + 1_234;
      await stories.createWindow(story, {
        startsAt: new Date(startsAtMs).toISOString(),
        endsAt: new Date(startsAtMs + HOUR_MS).toISOString(),
      });
    }
  }
  clock.advance(12_345 + DAYS * DAY_MS);
  nowMs = clock.nowMs();
  for (const [index, { checkKey }] of checkStories.entries()) {
    const results = [];
    for (let slotMs = beginMs + index; slotMs < nowMs; slotMs += 6 * MINUTE_MS + 7_919)
      results.push(
        aResult(
          { checkKey, locationKey: stories.locationKeys[0] as number, slotMs },
          { status: 1 + (slotMs % 3), responseTimeUs: 90_000 + (slotMs % 200) * 1_000 },
        ),
      );
    await stories.store(checkStories[index] as Story, results);
  }
  await stories.rollUpAt(nowMs - 40 * MINUTE_MS);
  // The oldest days have hours only.
  await stories.forgetBuckets();
});
afterAll(() => stories?.app.close());

describe("counts of several questions at once", () => {
  const agoMs = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: DAYS * DAY_MS }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 2 * HOUR_MS }) },
    { weight: 2, arbitrary: fc.constantFrom(HOUR_MS, 6 * HOUR_MS, DAY_MS) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0, max: 24 * DAYS }).map((n) => n * HOUR_MS + (nowMs % HOUR_MS)),
    },
  );
  const question = fc.record({
    story: fc.integer({ min: 0, max: 1 }),
    thresholdMs: fc.constantFrom(null, null, COUNTED_THRESHOLD_MS, 150),
    begin: agoMs,
    end: fc.oneof(fc.constant(0), agoMs),
  });

  it("are those of each question alone, and those of the results that were stored", async () => {
    const { knex } = stories.app.services;
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(question, { minLength: 1, maxLength: 8 }), async (wanted) => {
        const questions = wanted.map(({ story, thresholdMs, begin, end }): CountQuestion => {
          const { checkKey } = checkStories[story] as Story;
          const span = { fromMs: nowMs - Math.max(begin, end), toMs: nowMs - Math.min(begin, end) };
          return { checkKey, thresholdMs, ...span };
        });
        const together = await countResults(knex, questions);
        for (const [index, one] of questions.entries()) {
          const story = checkStories[wanted[index]?.story ?? 0] as Story;
          const { sumUs, ...plain } = bruteForce(story, one, one.thresholdMs);
          expect(together[index]).toEqual({ ...plain, responseTimeSumUs: sumUs });
          expect(await countResults(knex, [one])).toEqual([together[index]]);
          counted += plain.total;
        }
      }),
      { numRuns: 40 },
    );
    expect(counted).toBeGreaterThan(0);
  });

  // Workers count their rows themselves.
  it.skipIf(isOnCitus)("read the rows that they share once", async () => {
    const { checkKey } = checkStories[0] as Story;
    const spans = [DAYS * DAY_MS, DAY_MS, 6 * HOUR_MS, HOUR_MS].map((rangeMs) => ({
      checkKey,
      thresholdMs: null,
      fromMs: nowMs - rangeMs,
      toMs: nowMs,
    }));
    const [longest, ...others] = await Promise.all(spans.map((span) => rowsRead([span])));
    const together = await rowsRead(spans);
    const sum = (rows: readonly number[]) => rows.reduce((a, b) => a + b, 0);
    expect(longest).toBeGreaterThan(50);
    expect(together - (longest as number)).toBeLessThan(sum(others) * 0.6);
    expect(await rowsRead([...spans, ...spans])).toBe(together);
  });

  /** Rows of rollups and results that PostgreSQL fetched to answer. */
  async function rowsRead(questions: readonly CountQuestion[]): Promise<number> {
    return stories.app.services.knex.transaction(async (trx) => {
      await trx.raw("SET LOCAL enable_seqscan = off");
      const fetched = async (): Promise<number> => {
        const { rows } = await trx.raw(
          `SELECT sum(seq_tup_read + idx_tup_fetch)::integer AS count FROM pg_stat_xact_user_tables
           WHERE relname LIKE 'rollups\\_%' OR relname LIKE 'results\\_%'`,
        );
        return rows[0].count;
      };
      const before = await fetched();
      await countResults(trx, questions);
      return (await fetched()) - before;
    });
  }
});
