/** The answer of every route that gives one record as code. */
import type { DescribedRecords } from "@svc/as-code";
import type { RecordAsCode } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { findProjectOf } from "./store.ts";
import { UNNAMED_PROJECT, writeRecords } from "./write-records.ts";

/** A record with what it refers to, and what to know before a deploy of it alone; or why no config can describe it. */
export type RecordToWrite = { records: DescribedRecords; note?: string } | { reason: string };

/** A config's records when there are none. */
export const NO_RECORDS: DescribedRecords = {
  checks: [],
  labels: {},
  alerts: [],
  channels: [],
  patterns: [],
  slos: [],
  policies: [],
  rotas: [],
  incidentPolicy: null,
  statusPages: [],
  windows: [],
};

/** Says why a record that belongs to a check has no config. */
export const UNDESCRIBABLE =
  "A config can't describe a browser check of a single URL, to which this belongs: its monitors have scripts.";

/**
 * Returns the record as the files of a config; no value of a secret is in them.
 * @param id id of the record, by which its project is known
 * @throws DomainError `unavailable` when too many are being written, or writing it takes too long
 */
export async function recordAsCode(
  ctx: TeamContext,
  id: string,
  toWrite: RecordToWrite,
): Promise<RecordAsCode> {
  const project = (await findProjectOf(ctx.services.knex, ctx.teamId, id)) ?? null;
  if ("reason" in toWrite) return { project, files: [], secrets: [], reason: toWrite.reason, note: null };
  const { records, note = null } = toWrite;
  const written = await writeRecords(ctx, { records, unmanaged: [], project: project ?? UNNAMED_PROJECT });
  return { project, ...written, reason: null, note };
}
