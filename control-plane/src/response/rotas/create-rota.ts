import { type CreateRota, newId, type Rota } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { holdMemberChannels, storedRota } from "./judge-rota.ts";
import { describeRota, rotaFromRow } from "./row.ts";
import { insertRotaRow } from "./store.ts";

/**
 * Stores a rota.
 * @throws DomainError `invalid`, `conflict` when another rota has the name, `limit_exceeded`
 */
export async function createRota(ctx: TeamContext, input: CreateRota): Promise<Rota> {
  const { teamId, services } = ctx;
  const nowMs = services.clock.nowMs();
  const rota = storedRota(describeRota(input));
  const row = await conflictWhenInUse({ noun: "rota", name: rota.name }, () =>
    changeRecord(ctx, async (trx) => {
      await holdMemberChannels(trx, teamId, rota);
      const result = await insertRotaRow(trx, {
        ...rota,
        id: newId("rota"),
        teamId,
        createdAt: new Date(nowMs).toISOString(),
      });
      return {
        result,
        changes: [{ action: "created", type: "rota", resourceId: result.id, name: result.name }],
      };
    }),
  );
  return rotaFromRow(row, nowMs);
}
