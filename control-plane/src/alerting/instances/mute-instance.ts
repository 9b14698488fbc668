import { type AlertInstanceId, invalidField, type MuteInstance } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeInstance, lockOpenInstance } from "./change-instance.ts";

/** The instance to mute, and the end of the mute. */
export interface MuteInstanceInput extends MuteInstance {
  id: AlertInstanceId;
}

/**
 * Mutes an open instance until an instant, or until somebody unmutes it. Muting it again sets the new end.
 * @throws DomainError `not_found`, `conflict` when the instance has ended, or `invalid` when the instant has passed
 */
export async function muteInstance(
  { services, teamId, author }: TeamContext,
  { id, until }: MuteInstanceInput,
): Promise<void> {
  const atMs = services.clock.nowMs();
  if (until !== undefined && Date.parse(until) <= atMs) throw invalidField("until", "must lie in the future");
  const mutedUntil = until === undefined ? null : new Date(until);
  const detail = { by: "user", until: mutedUntil?.toISOString() ?? null };
  await services.knex.transaction(async (trx) => {
    await changeInstance(trx, {
      instance: await lockOpenInstance(trx, teamId, id),
      patch: { mutedBy: "user", mutedUntil },
      event: { type: "muted", actorId: author.actor, detail },
      atMs,
    });
  });
}
