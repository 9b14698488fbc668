/** SQL by which the evaluation writes instances: set-based, because a storm opens thousands in one transaction. */
import type { AlertInstanceId, AlertState, HoldReason, ResultId, Severity, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset, INTEGER_ARRAY, millisecondsAs } from "../../platform/db/recordset.ts";
import type { AlertContext, MutedBy } from "../evaluation/transitions.ts";

/** An instance as the evaluation stores it. Instants are Unix ms of the control plane's clock. */
export interface InstanceRow {
  id: AlertInstanceId;
  teamId: TeamId;
  ruleKey: number;
  /** null: of a rule without a check. */
  checkKey: number | null;
  state: AlertState;
  severity: Severity;
  triggeringResultId: ResultId | null;
  triggeringTraceId: string | null;
  startedAtMs: number;
  recoveredAtMs: number | null;
  recoveryResultId: ResultId | null;
  wasAnnounced: boolean;
  mutedBy: MutedBy | null;
  /** True when nobody is to be notified until it is known whose alert it is. */
  isHeld: boolean;
  /** Keys of the locations because of which it is held back, as it begins; none: it is not, or because of checks that it depends on. */
  heldAtKeys: readonly number[];
  /** True when its severity rose while it was muted, after its trigger was announced. */
  hasUnannouncedEscalation: boolean;
  context: AlertContext;
}

const NEW_INSTANCES = defineRecordset({
  id: "text",
  teamId: "text",
  ruleKey: "bigint",
  checkKey: "bigint",
  state: "text",
  severity: "text",
  triggeringResultId: "text",
  triggeringTraceId: "text",
  startedAtMs: millisecondsAs("started_at"),
  recoveredAtMs: millisecondsAs("recovered_at"),
  recoveryResultId: "text",
  wasAnnounced: "boolean",
  mutedBy: "text",
  context: "jsonb",
});

const HELD = defineRecordset({ instanceId: "text", teamId: "text", reason: "text" });

function heldRow({ id: instanceId, teamId, heldAtKeys }: InstanceRow) {
  const reason: HoldReason = heldAtKeys.length > 0 ? "location" : "dependency";
  return { instanceId, teamId, reason };
}

const LOCATION_HOLDS = defineRecordset({ instanceId: "text", teamId: "text", locationKeys: INTEGER_ARRAY });

/** Inserts new instances, and holds back those that are to be held. */
export async function insertInstances(trx: Knex, rows: readonly InstanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(NEW_INSTANCES.insertInto("alert_instances"), [JSON.stringify(rows)]);
  const held = rows.filter(({ isHeld }) => isHeld);
  if (held.length > 0) await trx.raw(HELD.insertInto("held_alerts"), [JSON.stringify(held.map(heldRow))]);
  const atLocations = held.flatMap(({ id: instanceId, teamId, heldAtKeys }) =>
    heldAtKeys.length > 0 ? [{ instanceId, teamId, locationKeys: heldAtKeys }] : [],
  );
  if (atLocations.length > 0)
    await trx.raw(LOCATION_HOLDS.insertInto("location_holds"), [JSON.stringify(atLocations)]);
}

/** Columns of an instance that a transition may change, and its id. */
const CHANGED_INSTANCES = defineRecordset({
  id: "text",
  state: "text",
  severity: "text",
  recoveredAtMs: millisecondsAs("recovered_at"),
  recoveryResultId: "text",
  mutedBy: "text",
  hasUnannouncedEscalation: { sqlType: "boolean", storedIn: "has_untold_escalation" },
  context: "jsonb",
});

/** Updates the columns that a transition may change in instances that are stored already. */
export async function updateInstances(trx: Knex, rows: readonly InstanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE alert_instances i SET ${CHANGED_INSTANCES.assignments("u", ["id"])}
     FROM ${CHANGED_INSTANCES.as("u")} WHERE i.id = u.id`,
    [JSON.stringify(rows)],
  );
}
