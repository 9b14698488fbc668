/** The entries of the audit log that follow from the change log, whoever changes the record and by which verb. */
import type { AuditAction, ChangeAction, ChangeType } from "@svc/contract";
import type { Knex } from "knex";
import { type AuditContext, recordAudit } from "./record-audit.ts";

/** The changes that are actions of the audit log as well. */
const AUDITED_CHANGES: Partial<Record<ChangeType, Partial<Record<ChangeAction, AuditAction>>>> = {
  api_key: { created: "api_key.created", deleted: "api_key.revoked" },
  runner_key: { created: "runner_key.created", deleted: "runner_key.revoked" },
  secret: { created: "secret.created", updated: "secret.changed", deleted: "secret.deleted" },
  incident_policy: {
    created: "incident_policy.changed",
    updated: "incident_policy.changed",
    deleted: "incident_policy.changed",
  },
  rota: { created: "rota.changed", updated: "rota.changed", deleted: "rota.changed" },
  telemetry: { created: "telemetry.changed", updated: "telemetry.changed", deleted: "telemetry.changed" },
};

/** A change as the change log has it. */
interface ChangeOfRecord {
  action: ChangeAction;
  type: ChangeType;
  resourceId: string;
  name: string | null;
}

/** Records a change in its transaction, if changes of its kind are audited. */
export async function recordAuditOfChange(
  ctx: AuditContext,
  trx: Knex,
  { type, action, resourceId, name }: ChangeOfRecord,
): Promise<void> {
  const audited = AUDITED_CHANGES[type]?.[action];
  if (audited) await recordAudit(ctx, { action: audited, resourceId, resourceName: name }, trx);
}
