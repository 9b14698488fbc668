/** Records in the audit log that somebody read configurations in clear, with the secrets in them. */
import { HOUR_MS } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "./record-audit.ts";

/** Readers that a process remembers within an hour, so that it asks the database once about each. */
const REMEMBERED_MAX = 20_000;

/** Records that the context's author reads configurations in clear. Call it before they are answered. */
export type RecordReveal = (ctx: TeamContext) => Promise<void>;

/**
 * Returns the function that records reads, once an hour for each reader.
 * @param services those with connections that write
 * @param of the records whose configurations are read
 */
export function createRevealRecorder(services: Services, of: "checks" | "channels"): RecordReveal {
  const known = new Set<string>();
  let knownHour = 0;
  return async ({ teamId, author }) => {
    const hour = Math.floor(services.clock.nowMs() / HOUR_MS);
    if (hour !== knownHour || known.size >= REMEMBERED_MAX) known.clear();
    knownHour = hour;
    const reader = `${teamId} ${author.actor}`;
    if (known.has(reader)) return;
    const onceKey = ["secrets.revealed", of, reader, hour].join(" ");
    await services.knex.transaction((trx) =>
      recordAudit({ services, teamId, author }, { action: "secrets.revealed", detail: { of }, onceKey }, trx),
    );
    known.add(reader);
  };
}
