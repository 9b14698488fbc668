/** The part of telemetry that takes place in ingest's transactions. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isDatabaseUnavailable } from "../platform/db/errors.ts";
import type { Services } from "../platform/services.ts";
import type { ResultConsumer } from "../results/ingest/write-group.ts";
import { bringsCertificates, type CheckOf, trackCertificates } from "./certificates/track-certificates.ts";
import { queueResults } from "./queue-results.ts";

/** Returns the consumer that queues results for export and tracks certificates. A fault in tracking never costs results. */
export function telemetryConsumer(
  services: Pick<Services, "clock" | "log">,
  checkOf: CheckOf,
): ResultConsumer {
  const queue = queueResults(services, (checkKey) => checkOf(checkKey)?.teamId);
  const track = trackCertificates(checkOf);
  return async (trx, group, stored) => {
    await queue(trx, group, stored);
    if (bringsCertificates(group))
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
