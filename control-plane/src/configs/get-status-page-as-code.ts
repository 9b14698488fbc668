/** A status page as the files of a config. */
import { isDescribable, selectRecords } from "@svc/as-code";
import { oneLine, type RecordAsCode, type StatusPage, type StatusPageId } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { getPage } from "../status-pages/pages/get-page.ts";
import { TOO_LARGE } from "./config-size.ts";
import { readChannels } from "./read-channels.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { NO_RECORDS, type RecordToWrite, recordAsCode } from "./record-as-code.ts";

/**
 * Returns the page with the monitors that its components name, as `svc pull` writes both. Components by labels name no monitor.
 * Notices are no part of a config.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getStatusPageAsCode(
  ctx: TeamContext,
  { id }: { id: StatusPageId },
): Promise<RecordAsCode> {
  const page = await getPage(ctx, { id });
  return recordAsCode(ctx, id, await toWrite(ctx, page));
}

async function toWrite(ctx: TeamContext, page: StatusPage): Promise<RecordToWrite> {
  const checkIds = [...new Set(page.components.flatMap(({ checkId }) => checkId ?? []))];
  if (checkIds.length === 0) return { records: { ...NO_RECORDS, statusPages: [page] } };
  const all = await readCheckRecords(ctx, checkIds);
  if (!all)
    return { reason: `The page has ${TOO_LARGE}; a config can name the monitors of your own config.` };
  const left = all.checks.find((check) => !isDescribable(check));
  if (left)
    return {
      reason: `The page shows ${oneLine(left.name)}, a browser check of a single URL, which a config can't describe.`,
    };
  const [shared] = selectRecords({ ...all, slos: [] }).shared;
  if (shared)
    return {
      reason: `The page shows ${shared.ids.length} ${shared.kind} named ${oneLine(shared.name)}: a config distinguishes them by name.`,
    };
  const channels = await readChannels(ctx, all.alerts);
  return { records: { ...all, slos: [], channels, statusPages: [page] } };
}
