/** A maintenance window as the files of a config. */
import { isDescribable, selectRecords } from "@svc/as-code";
import {
  EXPORTED_CHECKS_MAX,
  type MaintenanceWindow,
  type MaintenanceWindowId,
  oneLine,
  type RecordAsCode,
} from "@svc/contract";
import { getWindow } from "../checks/maintenance/get-window.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { TOO_LARGE } from "./config-size.ts";
import { readChannels } from "./read-channels.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { NO_RECORDS, type RecordToWrite, recordAsCode } from "./record-as-code.ts";

/**
 * Returns the window with the monitors that it names, as `svc deploy` reads them. `svc pull` leaves windows out.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getWindowAsCode(
  ctx: TeamContext,
  { id }: { id: MaintenanceWindowId },
): Promise<RecordAsCode> {
  const window = await getWindow(ctx, { id });
  return recordAsCode(ctx, id, await toWrite(ctx, window));
}

async function toWrite(ctx: TeamContext, window: MaintenanceWindow): Promise<RecordToWrite> {
  const { checkIds } = window;
  if (checkIds === "all") return { records: { ...NO_RECORDS, windows: [window] } };
  if (checkIds.length === 0)
    return { reason: "The window's checks are deleted: a config names at least one." };
  const all = checkIds.length > EXPORTED_CHECKS_MAX ? undefined : await readCheckRecords(ctx, checkIds);
  if (!all)
    return { reason: `The window has ${TOO_LARGE}; a config can name the monitors of your own config.` };
  const left = all.checks.find((check) => !isDescribable(check));
  if (left)
    return {
      reason: `The window holds for ${oneLine(left.name)}, a browser check of a single URL, which a config can't describe.`,
    };
  const [shared] = selectRecords({ ...all, slos: [] }).shared;
  if (shared)
    return {
      reason: `The window holds for ${shared.ids.length} ${shared.kind} named ${oneLine(shared.name)}: a config tells them apart by name.`,
    };
  const channels = await readChannels(ctx, all.alerts);
  return { records: { ...all, slos: [], channels, windows: [window] } };
}
