import { notFound, type Rota, type RotaId, type UpdateRota } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { holdMemberChannels, storedRota } from "./judge-rota.ts";
import { type DescribedRota, describeRota, type RotaModel, rotaFromRow } from "./row.ts";
import { lockRotaRow, patchRotaRow } from "./store.ts";

/**
 * Changes the given fields of a rota. Steps that name it notify whoever is on duty by the new fields from then on.
 * @throws DomainError `not_found`, `invalid`, or `conflict` when another rota has the name
 */
export async function updateRota(
  ctx: TeamContext,
  { id, update }: { id: RotaId; update: UpdateRota },
): Promise<Rota> {
  const { teamId, services } = ctx;
  const nowMs = services.clock.nowMs();
  const row = await conflictWhenInUse({ noun: "rota", name: update.name }, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockRotaRow(trx, teamId, id);
      if (!current) throw notFound("Rota");
      assertSameVersion(ctx, current);
      const rota = storedRota(merged(current, update));
      if (update.members) await holdMemberChannels(trx, teamId, rota);
      const fields = changedFields({ ...describeRota(current) }, { ...rota });
      const updatedAt = new Date(nowMs).toISOString();
      const result =
        fields.length > 0 ? await patchRotaRow(trx, current.key, { ...rota, updatedAt }) : current;
      return {
        result,
        changes: [
          { action: "updated", type: "rota", resourceId: id, name: rota.name, changedFields: fields },
        ],
      };
    }),
  );
  return rotaFromRow(row, nowMs);
}

function merged(current: RotaModel, update: UpdateRota): DescribedRota {
  return {
    name: update.name ?? current.name,
    timezone: update.timezone ?? current.timezone,
    startsAt: update.startsAt ?? current.startsAt,
    handover: update.handover ?? current.handover,
    members: update.members ?? current.members,
    overrides: update.overrides ?? current.overrides,
  };
}
