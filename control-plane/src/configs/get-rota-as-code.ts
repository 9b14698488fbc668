/** A rota as the files of a config. */
import type { RecordAsCode, RotaId } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { getRota } from "../response/rotas/get-rota.ts";
import { readChannels } from "./read-channels.ts";
import { NO_RECORDS, recordAsCode } from "./record-as-code.ts";

/**
 * Returns the rota with the channels of its members, as `svc pull` writes both.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getRotaAsCode(ctx: TeamContext, { id }: { id: RotaId }): Promise<RecordAsCode> {
  const rota = await getRota(ctx, { id });
  const channels = await readChannels(ctx, rota.members);
  return recordAsCode(ctx, id, { records: { ...NO_RECORDS, rotas: [rota], channels } });
}
