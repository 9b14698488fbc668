/** Reads what a plan compares a config with, credentials masked. */
import type { Remote } from "@svc/as-code/plan";
import type {
  AlertPolicy,
  Check,
  CheckId,
  CheckSummary,
  Location,
  MaintenanceWindow,
  Rota,
  Slo,
  StatusPage,
  ThirdPartyPattern,
} from "@svc/contract";
import { listPolicies } from "../alerting/policies/list-policies.ts";
import { listRulesOfTeam } from "../alerting/rules/list-rules-of-team.ts";
import { listSlos } from "../alerting/slos/list-slos.ts";
import { readTeamLabels } from "../checks/labels/store.ts";
import { listChecks } from "../checks/list-checks.ts";
import { listLocations } from "../checks/locations/list-locations.ts";
import { listWindows } from "../checks/maintenance/list-windows.ts";
import { checkFromRow } from "../checks/row.ts";
import { findCheckRows } from "../checks/store.ts";
import { listPatterns } from "../checks/third-party-patterns/list-patterns.ts";
import { listChannels } from "../outbox/channels/list-channels.ts";
import { channelFromRow, submittedFromRow } from "../outbox/channels/row.ts";
import type { Cursor, ListSource } from "../platform/http/list-answer.ts";
import type { RecordList } from "../platform/http/record-list.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { getIncidentPolicy } from "../response/incident-policy/get-policy.ts";
import { listRotas } from "../response/rotas/list-rotas.ts";
import { listPages } from "../status-pages/pages/list-pages.ts";
import { CONFIG_BYTES_MAX, configBytesOf } from "./config-size.ts";
import { maskedChannel } from "./proposal-jobs.ts";

const ROWS_AT_ONCE = 200;
/** Checks whose configurations are read at once: a script has up to 512 KiB. */
const CHECKS_AT_ONCE = 20;
/** More records of one kind are not compared. */
const RECORDS_MAX = 5_000;

/** A team has more than is compared. */
class TooMuch extends Error {}

/**
 * Returns the team's records, with the configurations of those checks alone that have one of the names; undefined when there are
 * more than are compared.
 */
export async function readRemote(ctx: TeamContext, names: ReadonlySet<string>): Promise<Remote | undefined> {
  try {
    const summaries = (await recordsOf(
      listChecks(ctx, { view: "summary", secrets: "masked" }),
    )) as CheckSummary[];
    const configs = await readConfigs(
      ctx,
      summaries.filter(({ name }) => names.has(name)).map(({ id }) => id),
    );
    return {
      checks: summaries.map((summary) => ({ ...summary, configJson: configs.get(summary.id) ?? {} })),
      labels: await readLabels(ctx),
      alerts: (await recordsOf(listRulesOfTeam(ctx))) as Remote["alerts"],
      channels: await readChannels(ctx),
      patterns: (await recordsOf(listPatterns(ctx))) as ThirdPartyPattern[],
      slos: (await recordsOf(listSlos(ctx, {}))) as Slo[],
      policies: (await recordsOf(listPolicies(ctx))) as AlertPolicy[],
      rotas: (await recordsOf(listRotas(ctx))) as Rota[],
      incidentPolicy: await getIncidentPolicy(ctx),
      statusPages: (await recordsOf(listPages(ctx))) as StatusPage[],
      windows: (await recordsOf(listWindows(ctx))) as MaintenanceWindow[],
      locations: (await recordsOf(listLocations(ctx, { includeDeprecated: true }))) as Location[],
      baselines: [],
      meta: undefined,
    };
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

/** Reads configurations, credentials masked, by check. */
async function readConfigs(
  { services: { knex, secrets }, teamId }: TeamContext,
  ids: readonly CheckId[],
): Promise<Map<string, Check["configJson"]>> {
  const configs = new Map<string, Check["configJson"]>();
  let bytes = 0;
  for (let i = 0; i < ids.length; i += CHECKS_AT_ONCE) {
    const rows = await findCheckRows(knex, teamId, ids.slice(i, i + CHECKS_AT_ONCE));
    bytes += configBytesOf(rows);
    if (bytes > CONFIG_BYTES_MAX) throw new TooMuch();
    for (const row of rows) configs.set(row.id, checkFromRow(secrets, row, "masked_credentials").configJson);
  }
  return configs;
}

async function readChannels(ctx: TeamContext): Promise<Remote["channels"]> {
  const { secrets } = ctx.services;
  return (await rowsOf(listChannels(ctx, { isMasked: true }))).map((row) => ({
    ...channelFromRow(secrets, row, { isMasked: true }),
    config: maskedChannel(submittedFromRow(secrets, row)),
  }));
}

async function readLabels({ services: { knex }, teamId }: TeamContext): Promise<Record<string, string[]>> {
  const labels: Record<string, string[]> = {};
  let afterId: CheckId | undefined;
  for (;;) {
    const rows = await readTeamLabels(knex, teamId, afterId);
    for (const row of rows) labels[row.id] = row.labels;
    afterId = rows.at(-1)?.id;
    if (afterId === undefined) return labels;
  }
}

/** Reads a whole list as the API answers it. @throws TooMuch */
async function recordsOf<Row>(list: ListSource<Row> | RecordList<Row>): Promise<unknown[]> {
  return (await rowsOf(list)).map((row) => JSON.parse(list.textOf(row)));
}

/** Reads the rows of a whole list. @throws TooMuch */
async function rowsOf<Row>(list: ListSource<Row> | RecordList<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  let after: Cursor | undefined;
  for (;;) {
    const part =
      "cursorShape" in list
        ? await list.read({ after, rowsMax: ROWS_AT_ONCE, offset: 0 })
        : await list.read(after, ROWS_AT_ONCE);
    const last = part.at(-1);
    if (last === undefined) return rows;
    rows.push(...part);
    if (rows.length > RECORDS_MAX) throw new TooMuch();
    after = list.cursorOf(last);
  }
}
