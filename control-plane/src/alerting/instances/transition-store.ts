/** SQL by which instances and their events are written: set-based, since a storm opens thousands in one transaction. */
import type { AlertEventType, AlertState, Severity, TeamId } from "@svc/contract";
import { newId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { AlertContext } from "../evaluation/transitions.ts";

/** A new instance as it is stored. Instants: Unix ms, control-plane clock. */
export interface InstanceRow {
  id: string;
  teamId: TeamId;
  ruleKey: number;
  checkKey: number;
  state: AlertState;
  severity: Severity;
  triggeringResultId: string | null;
  triggeringTraceId: string | null;
  startedAtMs: number;
  recoveredAtMs: number | null;
  recoveryResultId: string | null;
  wasAnnounced: boolean;
  mutedBy: "user" | "window" | null;
  /** Its severity rose while it was muted, after its trigger was told. */
  hasUntoldEscalation: boolean;
  context: AlertContext;
}

const AT = (column: string) => `to_timestamp(${column} / 1000.0)`;

export async function insertInstances(trx: Knex, rows: readonly InstanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO alert_instances (id, team_id, rule_key, check_key, state, severity, triggering_result_id,
       triggering_trace_id, started_at, recovered_at, recovery_result_id, was_announced, muted_by, context)
     SELECT id, "teamId", "ruleKey", "checkKey", state, severity, "triggeringResultId", "triggeringTraceId",
       ${AT('"startedAtMs"')}, ${AT('"recoveredAtMs"')}, "recoveryResultId", "wasAnnounced", "mutedBy", context
     FROM json_to_recordset(?::json) AS u (id text, "teamId" text, "ruleKey" bigint, "checkKey" bigint, state text,
       severity text, "triggeringResultId" text, "triggeringTraceId" text, "startedAtMs" bigint, "recoveredAtMs" bigint,
       "recoveryResultId" text, "wasAnnounced" boolean, "mutedBy" text, context jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** What changes of an instance that is there. */
export type InstanceChange = Pick<
  InstanceRow,
  | "id"
  | "state"
  | "severity"
  | "recoveredAtMs"
  | "recoveryResultId"
  | "mutedBy"
  | "hasUntoldEscalation"
  | "context"
>;

export async function updateInstances(trx: Knex, changes: readonly InstanceChange[]): Promise<void> {
  if (changes.length === 0) return;
  await trx.raw(
    `UPDATE alert_instances i SET state = u.state, severity = u.severity, recovered_at = ${AT('u."recoveredAtMs"')},
       recovery_result_id = u."recoveryResultId", muted_by = u."mutedBy",
       has_untold_escalation = u."hasUntoldEscalation", context = u.context
     FROM json_to_recordset(?::json) AS u (id text, state text, severity text, "recoveredAtMs" bigint,
       "recoveryResultId" text, "mutedBy" text, "hasUntoldEscalation" boolean, context jsonb)
     WHERE i.id = u.id`,
    [JSON.stringify(changes)],
  );
}

/** Something that happened to an instance, for its history and the event feed. */
export interface AlertEventRow {
  teamId: TeamId;
  instanceId: string;
  checkKey: number;
  type: AlertEventType;
  /** Of the instance, after it. */
  state: AlertState;
  severity: Severity;
  actorId: string | null;
  detail: Record<string, unknown> | null;
  createdAtMs: number;
}

/** In their order, which their ids keep within one millisecond. */
export async function insertAlertEvents(trx: Knex, events: readonly AlertEventRow[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({ id: newId("alertEvent"), ...event }));
  await trx.raw(
    `INSERT INTO alert_events (id, team_id, instance_id, check_key, type, state, severity, actor_id, detail, created_at)
     SELECT id, "teamId", "instanceId", "checkKey", type, state, severity, "actorId", detail, ${AT('"createdAtMs"')}
     FROM json_to_recordset(?::json) AS u (id text, "teamId" text, "instanceId" text, "checkKey" bigint, type text,
       state text, severity text, "actorId" text, detail jsonb, "createdAtMs" bigint)`,
    [JSON.stringify(rows)],
  );
}

/** A delivered notification about an instance. */
export interface DeliveredNotification {
  instanceId: string;
  /** What it told of: triggered, recovered, ... */
  kind: string;
  channelId: string;
  channelName: string;
  channelType: string;
}

/**
 * Counts notifications that were handed over and notes an event for each; for the workers of the outbox, in the transaction
 * that marks them delivered. Instances that are gone are passed over.
 */
export async function noteNotified(
  trx: Knex,
  delivered: readonly DeliveredNotification[],
  nowMs: number,
): Promise<void> {
  const ids = delivered.map(({ instanceId }) => instanceId).sort();
  const instances = await queryRows<{
    id: string;
    teamId: TeamId;
    checkKey: number;
    state: AlertState;
    severity: Severity;
  }>(
    trx,
    `UPDATE alert_instances i SET notification_count = notification_count + u.count
     FROM (SELECT id, count(*)::integer AS count FROM unnest(?::text[]) AS id GROUP BY id) u WHERE i.id = u.id
     RETURNING i.id, i.team_id AS "teamId", i.check_key AS "checkKey", i.state, i.severity`,
    [ids],
  );
  const known = new Map(instances.map((instance) => [instance.id, instance]));
  const events = delivered.flatMap(({ instanceId, ...detail }) => {
    const instance = known.get(instanceId);
    if (!instance) return [];
    const { id, ...rest } = instance;
    return [
      { ...rest, instanceId: id, type: "notified" as const, actorId: null, detail, createdAtMs: nowMs },
    ];
  });
  await insertAlertEvents(trx, events);
}

/** A confirmation as it is put down. */
export interface ConfirmationRow {
  ruleKey: number;
  checkKey: number;
  slotMs: number;
  locationKey: number;
  firstSlotMs: number;
  firstLocationKey: number;
  firstRunnerKey: number;
  expiresAtMs: number;
}

/** Puts them down in place of what was there for the rules. */
export async function putConfirmations(trx: Knex, rows: readonly ConfirmationRow[]): Promise<void> {
  for (const { expiresAtMs, ...row } of rows)
    await trx("alertConfirmations")
      .insert({ ...row, expiresAt: new Date(expiresAtMs) })
      .onConflict("ruleKey")
      .merge();
}

export async function deleteConfirmations(trx: Knex, ruleKeys: readonly number[]): Promise<void> {
  if (ruleKeys.length > 0) await trx("alertConfirmations").whereIn("ruleKey", ruleKeys).delete();
}

/** Ids of runners as people see them, by key. */
export async function readRunnerIds(db: Knex, keys: readonly number[]): Promise<Map<number, string>> {
  if (keys.length === 0) return new Map();
  const rows = await queryRows<{ key: number; id: string }>(
    db,
    "SELECT key, id FROM runners WHERE key = ANY(?)",
    [keys],
  );
  return new Map(rows.map(({ key, id }) => [key, id]));
}
