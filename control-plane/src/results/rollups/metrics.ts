/** Metrics of the rollups: how far they are behind the results. */
import { SECOND_MS } from "@svc/contract";
import type { Knex } from "knex";
import type { Registry } from "prom-client";
import { metricsOf } from "../../platform/metrics/metrics-of.ts";
import { sharedAnswer } from "../../platform/shared-answer.ts";
import { readDatabaseNow, readDoneUntil } from "./store.ts";

/** Time for which a reading holds: anybody may read the metrics, without being counted. */
const READING_HOLDS_MS = 5 * SECOND_MS;

/** Declares the metrics of this registry. They are not a number while the database is away. */
export function declareRollupMetrics(registry: Registry, knex: Knex): void {
  const behindSeconds = sharedAnswer(READING_HOLDS_MS, () => readBehindSeconds(knex).catch(() => Number.NaN));
  metricsOf(registry).gauge(
    "svc_rollups_behind_seconds",
    "Age of the newest results that are counted in the rollups, which follow within a quarter of an hour.",
    { collect: async (gauge) => gauge.set(await behindSeconds()) },
  );
}

async function readBehindSeconds(knex: Knex): Promise<number> {
  const doneUntilMs = await readDoneUntil(knex);
  if (doneUntilMs === undefined) return 0;
  return Math.max(0, (await readDatabaseNow(knex)) - doneUntilMs) / SECOND_MS;
}
