import type { Knex } from "knex";
import { changeInstance, tellChannels } from "./change-instance.ts";
import type { InstanceDetailRow } from "./row.ts";

/**
 * Lets an open instance speak again, and tells what its mute kept back: its beginning, or that its severity rose. Under the
 * lock of its check.
 */
export async function unmute(
  trx: Knex,
  row: InstanceDetailRow,
  by: { actorId: string | null; detail?: Record<string, unknown> },
  nowMs: number,
): Promise<void> {
  const patch = { mutedBy: null, mutedUntil: null, wasAnnounced: true, hasUntoldEscalation: false };
  await changeInstance(trx, row, patch, { type: "unmuted", ...by }, nowMs);
  if (!row.wasAnnounced) await tellChannels(trx, row, "triggered", nowMs);
  else if (row.hasUntoldEscalation) await tellChannels(trx, row, "escalated", nowMs);
}
