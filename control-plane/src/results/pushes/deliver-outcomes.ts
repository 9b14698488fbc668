import { pushLocationRow } from "../../checks/locations/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Ingester } from "../ingest/ingester.ts";
import { batchOf, type PushOutcome } from "./outcome.ts";
import { deleteOutcomes, listOutcomes } from "./store.ts";

/** The services and the ingest of this replica. */
export interface PushParts {
  services: Pick<Services, "knex" | "clock" | "log" | "config">;
  ingester: Pick<Ingester, "submit">;
}

/** Outcomes that are handed over at once. */
const OUTCOMES_MAX = 500;

/**
 * Hands outcomes to ingest, as an agent does with its results, and deletes them once they are stored. An outcome that was handed
 * over before is stored once, since its slot is its key. One that ingest refuses, as of a check that is no more, is logged and
 * given up.
 */
export async function deliverOutcomes(
  { services: { knex, log }, ingester }: PushParts,
  outcomes: readonly PushOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const { key: locationKey } = await pushLocationRow(knex);
  const { rejections } = await ingester.submit(batchOf(outcomes, locationKey), {
    runnerKey: 0,
    locationKeys: new Set([locationKey]),
  });
  if (rejections.length > 0) log.warn({ rejections }, "reports of pushed checks were refused");
  await deleteOutcomes(knex, outcomes);
}

/** Hands over all outcomes that a replica stored and did not hand over, because it ended or its database was away. */
export async function deliverLeftOutcomes(parts: PushParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const outcomes = await listOutcomes(parts.services.knex, OUTCOMES_MAX);
    await deliverOutcomes(parts, outcomes);
    if (outcomes.length < OUTCOMES_MAX) return;
  }
}
