/** Judges a fragment of a config: completes it by what the team has, and tells what a deploy of it would change. Changes nothing. */
import { selectRecords } from "@svc/as-code";
import { DomainError, oneLine } from "@svc/contract";
import { findChecksNamed } from "../checks/store.ts";
import { channelFromRow } from "../outbox/channels/row.ts";
import { findChannelsNamed } from "../outbox/channels/store.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { TOO_LARGE } from "./config-size.ts";
import { type FragmentInput, fragmentJob, fragmentNamesJob, type JudgedFragment } from "./fragment-jobs.ts";
import { runProposalJob } from "./judge-proposal.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { readRemote } from "./read-remote.ts";
import { NO_RECORDS } from "./record-as-code.ts";
import { findProjectOf } from "./store.ts";
import { UNNAMED_PROJECT } from "./write-records.ts";

/** Most monitors, and most channels, that one fragment may name. */
const NAMES_MAX = 100;

/**
 * Judges the text of a fragment. Its entries of monitors that the team has say what is to change; the rest is filled in.
 * @throws DomainError `unavailable` when that takes too long now
 */
export async function judgeFragment(ctx: TeamContext, { text }: { text: string }): Promise<JudgedFragment> {
  const { names, problem } = await runProposalJob(ctx, fragmentNamesJob, text);
  if (problem !== undefined) return refused(problem);
  if (names.monitors.length > NAMES_MAX || names.channels.length > NAMES_MAX)
    return refused(`A fragment names at most ${NAMES_MAX} monitors and ${NAMES_MAX} channels.`);
  const existing = await readExisting(ctx, names);
  if ("problem" in existing) return refused(existing.problem);
  const remote = await readRemote(ctx, new Set(names.monitors));
  return runProposalJob(ctx, fragmentJob, { text, existing, remote });
}

function refused(problem: string): JudgedFragment {
  return { problems: [problem], config: "", scripts: [], secrets: [] };
}

/** Reads the monitors and channels that exist of those that a fragment names. @throws DomainError `unavailable` */
async function readExisting(
  ctx: TeamContext,
  names: { monitors: readonly string[]; channels: readonly string[] },
): Promise<FragmentInput["existing"] | { problem: string }> {
  const { services, teamId } = ctx;
  const { knex, secrets } = services;
  const rowsMax = 2 * NAMES_MAX;
  const found = await findChecksNamed(knex, teamId, { names: names.monitors, rowsMax });
  const of = found.length > 0 ? await readCheckRecords(ctx, idsOf(found)) : NO_RECORDS;
  if (!of) throw new DomainError("unavailable", `The checks that are named have ${TOO_LARGE}`);
  const named = await findChannelsNamed(knex, teamId, { names: names.channels, rowsMax });
  const channels = named.map((row) => channelFromRow(secrets, row, { isMasked: false }));
  const { records, unmanaged, shared } = selectRecords({
    ...of,
    slos: [],
    channels: [...of.channels, ...channels.filter(({ id }) => !of.channels.some((one) => one.id === id))],
  });
  const [left] = unmanaged;
  if (left) return { problem: `${oneLine(left.name)} is ${left.reason}, which a config can't describe.` };
  const [twice] = shared;
  if (twice)
    return {
      problem: `There are ${twice.ids.length} ${twice.kind} named ${oneLine(twice.name)}: a config tells them apart by name.`,
    };
  return {
    records,
    unmanaged: [],
    project: await projectOf(ctx, [...found, ...named]),
    apiUrl: services.publicUrl(),
  };
}

/** Returns the project that deployed one of the records; the name that a pull would write when none did. */
async function projectOf(
  { services, teamId }: TeamContext,
  records: readonly { id: string }[],
): Promise<string> {
  for (const { id } of records) {
    const project = await findProjectOf(services.knex, teamId, id);
    if (project !== undefined) return project;
  }
  return UNNAMED_PROJECT;
}

function idsOf<Id>(records: readonly { id: Id }[]): Id[] {
  return records.map(({ id }) => id);
}
