/** What telemetry adds to ingest's transactions. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isDatabaseUnavailable } from "../platform/db/errors.ts";
import type { Services } from "../platform/services.ts";
import { factsOfKind } from "../results/ingest/facts/fact-kind.ts";
import { tlsFact } from "../results/ingest/facts/tls.ts";
import type { ResultConsumer } from "../results/ingest/write-group.ts";
import { type CheckOf, trackCertificates } from "./certificates/track-certificates.ts";
import { listResultsToExport } from "./list-results.ts";

/** Lists results to export and tracks certificates. A fault in it costs telemetry, never results. */
export function telemetryAfterStore(
  services: Pick<Services, "clock" | "log">,
  checkOf: CheckOf,
): ResultConsumer {
  const list = listResultsToExport(services, (checkKey) => checkOf(checkKey)?.teamId);
  const track = trackCertificates(checkOf);
  return async (trx, group, stored) => {
    await list(trx, group, stored);
    if (factsOfKind(group.facts, tlsFact).length > 0)
      await safely(trx, services.log, (savepoint) => track(savepoint, group, stored));
  };
}

async function safely(trx: Knex, log: Logger, work: (savepoint: Knex) => Promise<void>): Promise<void> {
  try {
    await trx.transaction(work);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    log.error({ err: error }, "certificates can't be tracked");
  }
}
