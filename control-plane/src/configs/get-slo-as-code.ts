/** An SLO as the files of a config. */
import { isDescribable } from "@svc/as-code";
import { notFound, type RecordAsCode, type Slo, type SloId, type ThirdPartyPatternId } from "@svc/contract";
import { getSlo } from "../alerting/slos/get-slo.ts";
import { patternFromRow } from "../checks/third-party-patterns/list-patterns.ts";
import { findPatternRow } from "../checks/third-party-patterns/store.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { TOO_LARGE } from "./config-size.ts";
import { readChannels } from "./read-channels.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { NO_RECORDS, type RecordToWrite, recordAsCode, UNDESCRIBABLE } from "./record-as-code.ts";

/**
 * Returns the SLO with its monitor, as `svc pull` writes both, or with its third-party pattern. The monitor keeps its alert
 * rules, so that a deploy of the files changes nothing; its other SLOs are left out.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getSloAsCode(ctx: TeamContext, { id }: { id: SloId }): Promise<RecordAsCode> {
  const slo = await getSlo(ctx, { id });
  return recordAsCode(ctx, id, await (slo.checkId === null ? ofPattern(ctx, slo) : ofCheck(ctx, slo)));
}

async function ofCheck(ctx: TeamContext, slo: Slo): Promise<RecordToWrite> {
  if (slo.checkId === null) throw notFound("SLO");
  const all = await readCheckRecords(ctx, [slo.checkId]);
  if (!all) return { reason: `The check of the SLO has ${TOO_LARGE}` };
  if (!all.checks.every(isDescribable)) return { reason: UNDESCRIBABLE };
  return { records: { ...all, slos: [slo], channels: await readChannels(ctx, [...all.alerts, slo]) } };
}

async function ofPattern(ctx: TeamContext, slo: Slo): Promise<RecordToWrite> {
  const { services, teamId } = ctx;
  const row = await findPatternRow(services.knex, teamId, slo.patternId as ThirdPartyPatternId);
  if (!row) return { reason: "The third party of the SLO is unknown." };
  const channels = await readChannels(ctx, [slo]);
  return { records: { ...NO_RECORDS, patterns: [patternFromRow(row)], slos: [slo], channels } };
}
