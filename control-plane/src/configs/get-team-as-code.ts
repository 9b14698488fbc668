/** What a team has, as the files of one config. */
import { type DescribedRecords, selectRecords } from "@svc/as-code";
import { type CheckId, DomainError, EXPORTED_CHECKS_MAX, oneLine, type TeamAsCode } from "@svc/contract";
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
import { JobOverrun, TeamQueueFull, threadPool } from "../platform/threads/thread-pool.ts";
import { configJob } from "./config-job.ts";

/** Characters of all configurations together; scripts make up most of them. */
const CONFIG_CHARACTERS_MAX = 8 * 1024 * 1024;
const ROWS_AT_ONCE = 200;
/** More rows than {@link EXPORTED_CHECKS_MAX} checks can have of one kind. */
const ROWS_MAX = 100_000;
const TOO_MUCH = `The team has more than ${EXPORTED_CHECKS_MAX} checks, or more than 8 MiB of scripts and settings: run svc pull`;

/**
 * Returns what `svc pull` writes of the team; no value of a secret is in it.
 * @throws DomainError `unavailable` when too many are being written, or writing it takes too long
 */
export async function getTeamAsCode(ctx: TeamContext, { project }: { project: string }): Promise<TeamAsCode> {
  const { services, teamId } = ctx;
  const all = await readAll(ctx);
  if (!all) return without(TOO_MUCH);
  const { records, unmanaged, shared } = selectRecords(all);
  const [first] = shared;
  if (first)
    return without(
      `There are ${first.ids.length} ${first.kind} named ${oneLine(first.name)}: a config tells them apart by name. Rename all but one.`,
    );
  const input = { records, unmanaged, project, apiUrl: services.publicUrl() };
  try {
    return { ...(await threadPool.run(configJob, { teamId, input })), unmanaged, reason: null };
  } catch (error) {
    if (error instanceof JobOverrun || error instanceof TeamQueueFull)
      throw new DomainError("unavailable", "Writing the config takes too long now; run svc pull", {
        retryAfterSeconds: 5,
      });
    throw error;
  }
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
  const patterns = await listPatternRows(knex, teamId, { after: undefined, rowsMax: ROWS_MAX });
  return {
    checks: checks.map((row) => checkFromRow(secrets, row)),
    labels: await readLabels(ctx),
    alerts: rules.map((rule) => ruleFromRow(rule, { checkId: rule.checkId, sloId: null, policyId: null })),
    channels: channels.map((row) => channelFromRow(secrets, row, { isMasked: false })),
    patterns: patterns.map(({ key: _key, ...pattern }) => pattern),
    slos: slos.map(sloFromRow),
    policies: policies.map(policyFromRow),
  };
}

/** Reads all checks, newest first; undefined when there are too many, or too large ones. */
async function readChecks({ services: { knex }, teamId }: TeamContext): Promise<CheckModel[] | undefined> {
  let characters = 0;
  let count = 0;
  const isTooMuch = (rows: readonly CheckModel[]) => {
    count += rows.length;
    characters += rows.reduce((sum, { config }) => sum + JSON.stringify(config).length, 0);
    return count > EXPORTED_CHECKS_MAX || characters > CONFIG_CHARACTERS_MAX;
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
