import { type ChannelId, dutyAt, type IncidentEventPayload, type RotaId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { dutyRotaOf } from "./row.ts";
import { findRotaRow } from "./store.ts";

/** Who is on duty of a rota, and the channels by which they are notified. */
export interface OnDuty {
  onDuty: NonNullable<IncidentEventPayload["onDuty"]>;
  channelIds: ChannelId[];
}

/** Returns who of a rota is on duty at an instant (Unix ms); undefined when the team has no such rota. */
export async function findOnDuty(
  db: Knex,
  { teamId, rotaId }: { teamId: TeamId; rotaId: RotaId },
  atMs: number,
): Promise<OnDuty | undefined> {
  const row = await findRotaRow(db, teamId, rotaId);
  const duty = row && dutyAt(dutyRotaOf(row), atMs);
  if (!duty) return undefined;
  return {
    onDuty: { rotaId: row.id, rotaName: row.name, member: duty.member.name },
    channelIds: duty.member.channelIds,
  };
}
