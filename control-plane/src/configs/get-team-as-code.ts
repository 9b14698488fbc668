/** What a team has, as the files of one config. */
import { type DescribedRecords, selectRecords } from "@svc/as-code";
import { type CheckId, EXPORTED_CHECKS_MAX, oneLine, type TeamAsCode } from "@svc/contract";
import { policyFromRow } from "../alerting/policies/row.ts";
import { listPolicyRows } from "../alerting/policies/store.ts";
import { ruleFromRow } from "../alerting/rules/row.ts";
import { listTeamRuleRows } from "../alerting/rules/store.ts";
import { sloFromRow } from "../alerting/slos/row.ts";
import { listSloRows } from "../alerting/slos/store.ts";
import { readTeamLabels } from "../checks/labels/store.ts";
import { type CheckModel, checkFromRow } from "../checks/row.ts";
import { listCheckRows } from "../checks/store.ts";
import { listPatternRows } from "../checks/third-party-patterns/store.ts";
import { type ChannelModel, channelFromRow } from "../outbox/channels/row.ts";
import { listChannelRows } from "../outbox/channels/store.ts";
import type { Cursor } from "../platform/http/list-answer.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { getIncidentPolicy } from "../response/incident-policy/get-policy.ts";
import { rotaFromRow } from "../response/rotas/row.ts";
import { listRotaRows } from "../response/rotas/store.ts";
import { pageFromRow } from "../status-pages/pages/row.ts";
import { listPageRows } from "../status-pages/pages/store.ts";
import { CONFIG_BYTES_MAX, configBytesOf, TOO_LARGE } from "./config-size.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { writeRecords } from "./write-records.ts";

const ROWS_AT_ONCE = 200;
/** More rows than {@link EXPORTED_CHECKS_MAX} checks can have of one kind. */
const ROWS_MAX = 100_000;

/** What to write: everything, or some checks with what belongs to them. */
export interface TeamAsCodeInput {
  project: string;
  checkIds?: readonly CheckId[] | undefined;
}

/**
 * Returns what `svc pull` writes of the team, or of some of its checks; no value of a secret is in it.
 * @throws DomainError `not_found` when the team does not have one of the checks; `unavailable` when too many are being
 * written, or writing it takes too long
 */
export async function getTeamAsCode(
  ctx: TeamContext,
  { project, checkIds }: TeamAsCodeInput,
): Promise<TeamAsCode> {
  const all = await (checkIds ? readCheckRecords(ctx, checkIds) : readAll(ctx));
  if (!all) return without(`${checkIds ? "They have" : "The team has"} ${TOO_LARGE}: run svc pull`);
  const { records, unmanaged, shared } = selectRecords(all);
  const [first] = shared;
  if (first)
    return without(
      `There are ${first.ids.length} ${first.kind} named ${oneLine(first.name)}: a config tells them apart by name. Rename all but one.`,
    );
  return { ...(await writeRecords(ctx, { records, unmanaged, project })), unmanaged, reason: null };
}

function without(reason: string): TeamAsCode {
  return { files: [], secrets: [], unmanaged: [], reason };
}

/** Reads everything that a config may describe, credentials included; undefined where that is too much. */
async function readAll(ctx: TeamContext): Promise<DescribedRecords | undefined> {
  const { services, teamId } = ctx;
  const { knex, secrets } = services;
  const checks = await readChecks(ctx);
  if (!checks) return undefined;
  const channels = await readRows<ChannelModel>((after) =>
    listChannelRows(knex, teamId, { after, rowsMax: ROWS_AT_ONCE }),
  );
  const rules = await listTeamRuleRows(knex, teamId, { afterKey: undefined, rowsMax: ROWS_MAX });
  const slos = await listSloRows(knex, teamId, { after: undefined, rowsMax: ROWS_MAX, offset: 0 });
  const policies = await listPolicyRows(knex, teamId, { after: undefined, rowsMax: ROWS_MAX });
  const rotas = await listRotaRows(knex, teamId, { after: undefined, rowsMax: ROWS_MAX });
  const pages = await listPageRows(knex, teamId, { after: undefined, rowsMax: ROWS_MAX });
  const patterns = await listPatternRows(knex, teamId, { after: undefined, rowsMax: ROWS_MAX });
  return {
    checks: checks.map((row) => checkFromRow(secrets, row)),
    labels: await readLabels(ctx),
    alerts: rules.map((rule) => ruleFromRow(rule, { checkId: rule.checkId, sloId: null, policyId: null })),
    channels: channels.map((row) => channelFromRow(secrets, row, { isMasked: false })),
    patterns: patterns.map(({ key: _key, ...pattern }) => pattern),
    slos: slos.map(sloFromRow),
    policies: policies.map(policyFromRow),
    rotas: rotas.map((row) => rotaFromRow(row, services.clock.nowMs())),
    incidentPolicy: await getIncidentPolicy(ctx),
    statusPages: pages.map(pageFromRow),
    windows: [],
  };
}

/** Reads all checks, newest first; undefined when there are too many, or too large ones. */
async function readChecks({ services: { knex }, teamId }: TeamContext): Promise<CheckModel[] | undefined> {
  let bytes = 0;
  let count = 0;
  const isTooMuch = (rows: readonly CheckModel[]) => {
    count += rows.length;
    bytes += configBytesOf(rows);
    return count > EXPORTED_CHECKS_MAX || bytes > CONFIG_BYTES_MAX;
  };
  return readRows<CheckModel>(
    (after) => listCheckRows(knex, teamId, { after, rowsMax: ROWS_AT_ONCE, withConfig: true }),
    isTooMuch,
  );
}

async function readLabels({ services: { knex }, teamId }: TeamContext): Promise<Record<string, string[]>> {
  const labels: Record<string, string[]> = {};
  let afterId: CheckId | undefined;
  for (;;) {
    const rows = await readTeamLabels(knex, teamId, afterId);
    const last = rows.at(-1);
    if (!last) return labels;
    for (const row of rows) labels[row.id] = row.labels;
    afterId = last.id;
  }
}

/** Reads a list part by part. @param isTooMuch says after each part whether to give up */
async function readRows<Row extends { createdAt: Cursor[number]; key: number }>(
  read: (after: Cursor | undefined) => Promise<Row[]>,
): Promise<Row[]>;
async function readRows<Row extends { createdAt: Cursor[number]; key: number }>(
  read: (after: Cursor | undefined) => Promise<Row[]>,
  isTooMuch: (part: readonly Row[]) => boolean,
): Promise<Row[] | undefined>;
async function readRows<Row extends { createdAt: Cursor[number]; key: number }>(
  read: (after: Cursor | undefined) => Promise<Row[]>,
  isTooMuch: (part: readonly Row[]) => boolean = () => false,
): Promise<Row[] | undefined> {
  const rows: Row[] = [];
  let after: Cursor | undefined;
  for (;;) {
    const part = await read(after);
    const last = part.at(-1);
    if (!last) return rows;
    if (isTooMuch(part)) return undefined;
    rows.push(...part);
    after = [last.createdAt, last.key];
  }
}
