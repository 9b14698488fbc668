/** Reads what a config of some checks describes: the checks with their labels, and the rules, SLOs and channels that belong to them. */
import { type DescribedRecords, isDescribable } from "@svc/as-code";
import { type CheckId, notFound } from "@svc/contract";
import { ruleFromRow } from "../alerting/rules/row.ts";
import { listRuleRowsOfChecks } from "../alerting/rules/store.ts";
import { sloFromRow } from "../alerting/slos/row.ts";
import { listSloRowsOfChecks } from "../alerting/slos/store.ts";
import { readLabelsOfChecks } from "../checks/labels/store.ts";
import { type CheckModel, checkFromRow } from "../checks/row.ts";
import { findCheckRows } from "../checks/store.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { CONFIG_BYTES_MAX, configBytesOf } from "./config-size.ts";
import { readChannels } from "./read-channels.ts";

/** Checks that are read at once: a script has up to 512 KiB. */
const CHECKS_AT_ONCE = 20;

/**
 * Returns the records, credentials included, with the channels that rules and SLOs notify; undefined when the configurations are
 * larger than the service writes. Checks that no config can describe are among them, without what belongs to them.
 * @throws DomainError `not_found` when the team does not have one of the checks
 */
export async function readCheckRecords(
  ctx: TeamContext,
  checkIds: readonly CheckId[],
): Promise<DescribedRecords | undefined> {
  const { services, teamId } = ctx;
  const { knex, secrets } = services;
  const rows = await readChecks(ctx, [...new Set(checkIds)]);
  if (!rows) return undefined;
  const checks = rows.map((row) => checkFromRow(secrets, row));
  const written = rows.filter((_, i) => isDescribable(checks[i] as (typeof checks)[number]));
  const idByKey = new Map(written.map(({ key, id }) => [key, id]));
  const keys = [...idByKey.keys()];
  const [labels, ruleRows, slos] = await Promise.all([
    readLabelsOfChecks(knex, keys),
    listRuleRowsOfChecks(knex, teamId, keys),
    listSloRowsOfChecks(knex, teamId, keys),
  ]);
  const alerts = ruleRows.map((rule) =>
    ruleFromRow(rule, { checkId: idByKey.get(rule.checkKey ?? 0) as CheckId, sloId: null, policyId: null }),
  );
  return {
    checks,
    labels: Object.fromEntries(labels.map((one) => [one.id, one.labels])),
    alerts,
    channels: await readChannels(ctx, [...alerts, ...slos]),
    patterns: [],
    slos: slos.map(sloFromRow),
    policies: [],
    rotas: [],
    incidentPolicy: null,
    statusPages: [],
    windows: [],
  };
}

/** Reads the checks part by part; undefined when they are too large. */
async function readChecks(
  { services: { knex }, teamId }: TeamContext,
  ids: readonly CheckId[],
): Promise<CheckModel[] | undefined> {
  const rows: CheckModel[] = [];
  let bytes = 0;
  for (let i = 0; i < ids.length; i += CHECKS_AT_ONCE) {
    const part = ids.slice(i, i + CHECKS_AT_ONCE);
    const found = await findCheckRows(knex, teamId, part);
    if (found.length < part.length) throw notFound("Check");
    bytes += configBytesOf(found);
    if (bytes > CONFIG_BYTES_MAX) return undefined;
    rows.push(...found);
  }
  return rows;
}
