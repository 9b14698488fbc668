/** SQL of members: the alert instances of incidents, with the profiles that were read when they began. */
import {
  type AlertInstanceId,
  type AlertRuleId,
  type ChannelId,
  type CheckId,
  INCIDENT_MEMBERS_LISTED,
  type Severity,
} from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset, TEXT_ARRAY } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Dimension } from "./dimensions.ts";
import type { MemberProfile } from "./member-profile.ts";
import { profileToStored } from "./stored-profile.ts";

/** A member of an incident. Instants are ISO 8601. */
export interface MemberRow {
  instanceId: AlertInstanceId;
  incidentKey: number;
  /** Position among the incident's members, from 1. */
  position: number;
  ruleId: AlertRuleId;
  /** null: of no check. */
  checkId: CheckId | null;
  severity: Severity;
  startedAt: string;
  acknowledgedAt: string | null;
  endedAt: string | null;
  channelIds: ChannelId[];
  dimensions: Dimension[];
  profile: MemberProfile;
}

const MEMBERS = defineRecordset({
  instanceId: "text",
  incidentKey: "bigint",
  position: "integer",
  ruleId: "text",
  checkId: "text",
  severity: "text",
  startedAt: "timestamptz",
  acknowledgedAt: "timestamptz",
  endedAt: "timestamptz",
  channelIds: TEXT_ARRAY,
  dimensions: TEXT_ARRAY,
  facts: "jsonb",
});

/** Stores new members. */
export async function insertMembers(trx: Knex, rows: readonly MemberRow[]): Promise<void> {
  if (rows.length === 0) return;
  const records = rows.map(({ profile, ...row }) => ({ ...row, facts: profileToStored(profile) }));
  await trx.raw(MEMBERS.insertInto("incident_members"), [JSON.stringify(records)]);
}

/** The columns of a member that changes of its alert need. */
export type MemberState = Omit<MemberRow, "position" | "dimensions" | "profile">;

/** Returns the members among these alert instances, by instance. */
export async function readMembers(
  db: Knex,
  instanceIds: readonly AlertInstanceId[],
): Promise<Map<AlertInstanceId, MemberState>> {
  const rows = await queryRows<MemberState>(
    db,
    `SELECT instance_id, incident_key, rule_id, check_id, severity, started_at, acknowledged_at, ended_at, channel_ids
     FROM incident_members WHERE instance_id = ANY(?)`,
    [[...instanceIds]],
  );
  return new Map(rows.map((row) => [row.instanceId, row]));
}

const CHANGED_MEMBERS = defineRecordset({
  instanceId: "text",
  severity: "text",
  acknowledgedAt: "timestamptz",
  endedAt: "timestamptz",
});

/** Stores severity, acknowledgement and end of members. */
export async function updateMembers(trx: Knex, rows: readonly MemberState[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE incident_members m SET ${CHANGED_MEMBERS.assignments("u", ["instanceId"])}
     FROM ${CHANGED_MEMBERS.as("u")} WHERE m.instance_id = u."instanceId"`,
    [JSON.stringify(rows)],
  );
}

/** Returns the alert instances of an incident's oldest members. */
export async function readMemberIds(db: Knex, incidentKey: number): Promise<AlertInstanceId[]> {
  const rows = await queryRows<{ instanceId: AlertInstanceId }>(
    db,
    "SELECT instance_id FROM incident_members WHERE incident_key = ? ORDER BY position LIMIT ?",
    [incidentKey, INCIDENT_MEMBERS_LISTED],
  );
  return rows.map(({ instanceId }) => instanceId);
}
