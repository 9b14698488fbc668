import { newId } from "@svc/contract";
import type { Knex } from "knex";
import { loadHypothesisInputs } from "../hypothesis/load-input.ts";
import { type DescribedMembers, describe, hypothesisSubjectOf } from "./describe.ts";
import { insertMembers } from "./member-store.ts";
import { type AlertGroup, type BeginningBatch, memberRow, type ProfiledAlert } from "./profiled-alert.ts";
import type { IncidentRow } from "./row.ts";
import { insertIncidents, readRecurrences } from "./store.ts";
import { writeReports } from "./write-reports.ts";

/** An incident that was opened, with the alerts of its group that are yet to join. */
export interface OpenedIncident {
  row: IncidentRow;
  rest: readonly ProfiledAlert[];
}

/** Columns of an incident that has just been opened. */
export const OPENED = {
  state: "open",
  recurrenceOf: [],
  mergedInto: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  acknowledgedByName: null,
  quietSince: null,
  resolvedAt: null,
  closedAt: null,
  closedBy: null,
  closedByName: null,
  updatedAt: null,
} satisfies Partial<IncidentRow>;

/** Opens an incident for the first alert of each group, and reports it. */
export async function openIncidents(
  trx: Knex,
  batch: BeginningBatch,
  groups: readonly AlertGroup[],
): Promise<OpenedIncident[]> {
  if (groups.length === 0) return [];
  const { nowMs } = batch;
  const firsts = groups.map(({ alerts }) => alerts[0] as ProfiledAlert);
  const rows = await insertOpened(trx, batch, firsts);
  await insertMembers(
    trx,
    firsts.map((first, i) => memberRow(first, (rows[i] as IncidentRow).key, 1)),
  );
  await writeReports(
    trx,
    firsts.map((first, i) => ({
      type: "opened",
      incident: rows[i] as IncidentRow,
      actorId: null,
      alerts: [first],
      instanceIds: [first.instanceId],
      channelIds: first.channelIds,
    })),
    nowMs,
  );
  return groups.map(({ alerts }, i) => ({ row: rows[i] as IncidentRow, rest: alerts.slice(1) }));
}

/** Stores an incident for each of the alerts. */
async function insertOpened(
  trx: Knex,
  batch: BeginningBatch,
  firsts: readonly ProfiledAlert[],
): Promise<IncidentRow[]> {
  const { teamId, failing, nowMs } = batch;
  const members = firsts.map((first) => ({ first, described: membersOfOne(first) }));
  const subjects = members.map(({ described }) => hypothesisSubjectOf(described));
  const hypothesisInputOf = await loadHypothesisInputs(trx, batch, { subjects, failing });
  const drafts = members.map(
    ({ first, described }): Omit<IncidentRow, "key"> => ({
      ...OPENED,
      id: newId("incident"),
      teamId,
      openedAt: new Date(nowMs).toISOString(),
      ...describe({
        members: described,
        hypothesisInput: hypothesisInputOf(hypothesisSubjectOf(described)),
        severityBefore: first.severity,
      }),
    }),
  );
  const recurrences = await readRecurrences(trx, batch, drafts);
  for (const draft of drafts) draft.recurrenceOf = recurrences.get(draft.id) ?? [];
  const keys = await insertIncidents(trx, drafts);
  return drafts.map((draft) => ({ ...draft, key: keys.get(draft.id) as number }));
}

/** Returns the totals of an incident with one member. */
function membersOfOne({ profile, severity, dimensions, startedAtMs }: ProfiledAlert): DescribedMembers {
  return {
    memberCount: 1,
    openCount: 1,
    checkCount: 1,
    openSeverities: [severity],
    firstStartedAt: new Date(startedAtMs).toISOString(),
    dimensionCounts: new Map(dimensions.map((dimension) => [dimension, 1])),
    sample: [{ profile, startedAtMs }],
  };
}
