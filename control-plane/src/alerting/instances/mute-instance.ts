import { DomainError, invalidField, type MuteInstance, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeInstance, isOpen, lockInstance } from "./change-instance.ts";
import { unmute } from "./lift-mute.ts";

/**
 * Silences an open instance until an instant, or until it is unmuted. Muting again sets the new end.
 * @throws DomainError not_found, conflict (it is over), invalid (the instant has passed)
 */
export async function muteInstance(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
  { until }: MuteInstance,
): Promise<void> {
  const nowMs = clock.nowMs();
  if (until !== undefined && Date.parse(until) <= nowMs)
    throw invalidField("until", "must lie in the future");
  await knex.transaction(async (trx) => {
    const row = await lockInstance(trx, teamId, id);
    if (!isOpen(row)) throw new DomainError("conflict", `Alert instance is ${row.state} already`);
    const mutedUntil = until === undefined ? null : new Date(until);
    const detail = { by: "user", until: mutedUntil?.toISOString() ?? null };
    await changeInstance(
      trx,
      row,
      { mutedBy: "user", mutedUntil },
      { type: "muted", actorId, detail },
      nowMs,
    );
  });
}

/**
 * Lets an instance speak again; what was not told is told now. Harmless when it is not muted.
 * @throws DomainError not_found, conflict (it is over)
 */
export async function unmuteInstance(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockInstance(trx, teamId, id);
    if (!isOpen(row)) throw new DomainError("conflict", `Alert instance is ${row.state} already`);
    if (row.mutedBy === null) return;
    await unmute(trx, row, { actorId }, clock.nowMs());
  });
}
