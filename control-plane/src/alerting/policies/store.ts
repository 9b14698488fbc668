/** SQL by which the verbs read and change alert policies. Every read for a caller names the team, so another team's does not exist. */
import { type AlertPolicyId, type CheckType, isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import objection from "objection";
import { queryRows } from "../../platform/db/rows.ts";
import type { Cursor } from "../../platform/http/list-answer.ts";
import { AlertPolicyModel, type PolicyRow } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return AlertPolicyModel.query(db).where({ teamId }).whereNull("deletedAt");
}

const CHECK_COUNT = `(SELECT count(*)::integer FROM alert_rules r
  WHERE r.policy_key = alert_policies.key AND r.deleted_at IS NULL) AS check_count`;

/** Returns a part of the list of the team's policies, newest first. */
export async function listPolicyRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax }: { after: Cursor | undefined; rowsMax: number },
): Promise<PolicyRow[]> {
  const query = ofTeam(db, teamId).select("alertPolicies.*", db.raw(CHECK_COUNT)).limit(rowsMax);
  if (after) void query.whereRaw("(created_at, key) < (CAST(? AS timestamptz), ?)", [...after]);
  return query.orderBy("createdAt", "desc").orderBy("key", "desc").castTo<PolicyRow[]>();
}

/** Returns a policy of the team; undefined when the team has none with this id. */
export async function findPolicyRow(
  db: Knex,
  teamId: TeamId,
  id: AlertPolicyId,
): Promise<PolicyRow | undefined> {
  if (!isId("alertPolicy", id)) return undefined;
  const row = await ofTeam(db, teamId).findOne({ id }).select("alertPolicies.*", db.raw(CHECK_COUNT));
  return row as PolicyRow | undefined;
}

/** Returns a policy of the team and locks its row until the transaction ends; undefined when the team has none with this id. */
export async function lockPolicyRow(
  trx: Knex,
  teamId: TeamId,
  id: AlertPolicyId,
): Promise<AlertPolicyModel | undefined> {
  return isId("alertPolicy", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

/** Stores a new policy, whose rules are still to be made. */
export async function insertPolicyRow(trx: Knex, row: Partial<AlertPolicyModel>): Promise<AlertPolicyModel> {
  return AlertPolicyModel.query(trx).insert(row).returning("*");
}

/** Updates columns of a policy and raises its revision, which its rules are to follow. */
export async function patchPolicyRow(
  trx: Knex,
  key: number,
  patch: Partial<AlertPolicyModel>,
): Promise<void> {
  await AlertPolicyModel.query(trx)
    .findById(key)
    .patch({
      ...patch,
      isApplied: false,
      revision: objection.raw("revision + 1"),
    } as objection.PartialModelObject<AlertPolicyModel>);
}

/** Returns all policies of the team, oldest first; a cap keeps them few. */
export async function readPolicies(db: Knex, teamId: TeamId): Promise<AlertPolicyModel[]> {
  return ofTeam(db, teamId).orderBy("key");
}

/** A check that has the labels of a policy. */
export interface LabeledCheck {
  key: number;
  id: string;
  name: string;
  type: CheckType;
  /** The part of the configuration that may be seen: no condition asks for the other one. */
  config: Record<string, unknown>;
}

/** Checks of the team that have all of some labels; `:label` is one of them, by which they are found. */
const LABELED = `FROM check_labels l JOIN checks c ON c.key = l.check_key
  WHERE l.team_id = :teamId AND l.label = :label AND (
    SELECT count(*) FROM check_labels m WHERE m.check_key = c.key AND m.label = ANY(CAST(:labels AS text[]))
  ) = cardinality(CAST(:labels AS text[]))`;

function labeledBindings(teamId: TeamId, labels: readonly string[]) {
  return { teamId, labels: [...labels], label: labels[0] ?? "" };
}

/** Returns the first of the team's checks, by name, that have all the labels. */
export function listLabeledChecks(
  db: Knex,
  teamId: TeamId,
  { labels, rowsMax }: { labels: readonly string[]; rowsMax: number },
): Promise<LabeledCheck[]> {
  return queryRows(
    db,
    `SELECT c.key, c.id, c.name, c.type, c.config ${LABELED} ORDER BY c.name, c.key LIMIT :rowsMax`,
    { ...labeledBindings(teamId, labels), rowsMax },
  );
}

/** Returns the number of the team's checks that have all the labels. */
export async function countLabeledChecks(
  db: Knex,
  teamId: TeamId,
  labels: readonly string[],
): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    `SELECT count(*)::integer AS count ${LABELED}`,
    labeledBindings(teamId, labels),
  );
  return row?.count ?? 0;
}

/** Returns checks with the policy's labels whose rule does not follow its newest revision, kept from being deleted until the transaction ends. */
export function holdChecksToApply(
  trx: Knex,
  { key, teamId, labels, revision }: AlertPolicyModel,
  rowsMax: number,
): Promise<LabeledCheck[]> {
  return queryRows(
    trx,
    `SELECT c.key, c.id, c.name, c.type, c.config ${LABELED} AND NOT EXISTS (
       SELECT FROM alert_rules r WHERE r.policy_key = :key AND r.check_key = c.key AND r.policy_revision = :revision)
     ORDER BY c.key LIMIT :rowsMax FOR KEY SHARE OF c`,
    { ...labeledBindings(teamId, labels), key, revision, rowsMax },
  );
}
