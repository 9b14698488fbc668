import { type IncidentPolicy, type IncidentPolicyStep, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type ChangeEntry, changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { assertChannelsOfListExist } from "../../outbox/channels/assert-channels-exist.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockIncidents } from "../incidents/store.ts";
import { holdRotas } from "../rotas/store.ts";
import { refuseAlertsOnly } from "./refuse-alerts-only.ts";
import { findIncidentPolicy, storeIncidentPolicy } from "./store.ts";

/**
 * Replaces the incident policy of the team; no steps remove it. Incidents that are open come to the new steps, too. Setting the
 * steps that there are changes nothing.
 * @throws DomainError `precondition_failed` when it was changed meanwhile; `invalid` for channels and rotas that are not the team's, or channels that take no incident events
 */
export async function setIncidentPolicy(
  ctx: TeamContext,
  { steps }: { steps: IncidentPolicyStep[] },
): Promise<IncidentPolicy> {
  const { services, teamId } = ctx;
  const updatedAt = new Date(services.clock.nowMs()).toISOString();
  return changeRecord(ctx, async (trx) => {
    await lockIncidents(trx, teamId);
    const before = await findIncidentPolicy(trx, teamId);
    assertSameVersion(ctx, before ?? { updatedAt: null });
    await assertChannelsOfListExist(trx, teamId, { field: "steps", items: steps });
    const channelIds = [...new Set(steps.flatMap((step) => step.channelIds))];
    await refuseAlertsOnly(trx, channelIds, "steps");
    await assertRotasExist(trx, teamId, steps);
    await storeIncidentPolicy(trx, teamId, { steps, updatedAt });
    return {
      result: { teamId, steps, updatedAt: steps.length === 0 ? null : updatedAt },
      changes: entriesOf(teamId, before?.steps ?? [], steps),
    };
  });
}

async function assertRotasExist(
  trx: Knex,
  teamId: TeamId,
  steps: readonly IncidentPolicyStep[],
): Promise<void> {
  const wanted = [...new Set(steps.flatMap(({ rotaId }) => rotaId ?? []))];
  const known = new Set<string>(await holdRotas(trx, teamId, wanted));
  const at = steps.findIndex(({ rotaId }) => rotaId !== undefined && rotaId !== null && !known.has(rotaId));
  if (at >= 0) throw invalidField("steps", `steps[${at}].rotaId: no such rota: ${steps[at]?.rotaId}`);
}

/** Returns the entries of the change log; none when nothing changed. */
function entriesOf(
  teamId: string,
  before: readonly IncidentPolicyStep[],
  after: readonly IncidentPolicyStep[],
): ChangeEntry[] {
  if (before.length === 0 && after.length === 0) return [];
  const entry = { type: "incident_policy" as const, resourceId: teamId, name: null };
  if (before.length === 0) return [{ ...entry, action: "created" }];
  if (after.length === 0) return [{ ...entry, action: "deleted" }];
  return [{ ...entry, action: "updated", changedFields: changedFields({ steps: before }, { steps: after }) }];
}
