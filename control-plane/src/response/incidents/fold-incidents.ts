/**
 * Folds incidents that turn out to be one: opened for checks that fail at one location only, before it was known that the
 * location fails as a whole. The oldest becomes the location's incident; the alerts of the others move there, and the others
 * are closed.
 */
import { type ChannelId, groupBy, type LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { UNREACHED } from "../../alerting/holds/reach.ts";
import type { AlertExcerpt } from "../../outbox/payload.ts";
import { type AlertToCorrelate, CORRELATION_WINDOW_MS } from "./correlate.ts";
import { type FoldableIncident, type MovedMember, moveMembers, readFoldable } from "./fold-store.ts";
import type { FailingLocations } from "./member-profile.ts";
import { readIncidentRows, updateIncidents } from "./store.ts";
import type { TeamBatch } from "./team-batch.ts";
import { writeReports } from "./write-reports.ts";

/** Alerts that moved, by the key of the incident that has them now. */
export type MovedAlerts = ReadonlyMap<number, readonly AlertExcerpt[]>;

/** The locations that fail as a whole, and the alerts by which that was noticed. */
export interface FoldInput {
  failing: FailingLocations;
  /** Alerts that begin: incidents within the correlation window of them are considered. */
  alerts: readonly Pick<AlertToCorrelate, "startedAtMs">[];
}

/**
 * Folds the incidents of locations that fail as a whole, and reports the end of those that were folded. The caller
 * reports the alerts that moved.
 */
export async function foldIncidents(
  trx: Knex,
  { teamId, nowMs }: TeamBatch,
  { failing, alerts }: FoldInput,
): Promise<MovedAlerts> {
  const moved = new Map<number, AlertExcerpt[]>();
  if (failing.size === 0) return moved;
  const sinceMs = Math.min(...alerts.map(({ startedAtMs }) => startedAtMs)) - CORRELATION_WINDOW_MS;
  const foldable = await readFoldable(trx, { teamId, locationIds: [...failing.keys()], sinceMs });
  for (const [locationId, incidents] of groupBy(foldable, (incident) => incident.locationId)) {
    const { target, folded } = planFolding(incidents);
    const foldedKeys = folded.map(({ key }) => key);
    const members = await moveMembers(trx, { targetKey: target.key, foldedKeys, locationId });
    if (foldedKeys.length === 0) continue;
    moved.set(
      target.key,
      members.map(({ alert }) => alert),
    );
    await closeFolded(trx, { targetKey: target.key, foldedKeys, members }, nowMs);
  }
  return moved;
}

/** The incident of a location, and what is folded into it. */
interface FoldIntoInput {
  targetKey: number;
  locationId: LocationId;
  /** Begin of the first of the alerts at hand, Unix ms: incidents within the correlation window of it are considered. */
  startedAtMs: number;
  /** Since when the location's alerts are held back, Unix ms; absent: since now. */
  heldBackSinceMs?: number;
}

/**
 * Folds the incidents of alerts that began at the location before it was known to be cut off into the location's own, and reports their end. Those
 * that somebody has acknowledged stay, and those of a target that answered. The caller reports the alerts that moved, and brings the totals of
 * the location's incident up to date.
 */
export async function foldIntoIncident(
  trx: Knex,
  { teamId, nowMs }: TeamBatch,
  { targetKey, locationId, startedAtMs, heldBackSinceMs }: FoldIntoInput,
): Promise<readonly MovedMember[]> {
  const sinceMs = startedAtMs - CORRELATION_WINDOW_MS;
  const foldable = await readFoldable(trx, {
    teamId,
    locationIds: [locationId],
    sinceMs,
    categories: UNREACHED,
    ...(heldBackSinceMs !== undefined && { heldBackSinceMs }),
  });
  const foldedKeys = foldable.flatMap(({ key, state }) =>
    key === targetKey || state === "acknowledged" ? [] : [key],
  );
  if (foldedKeys.length === 0) return [];
  const members = await moveMembers(trx, { targetKey, foldedKeys, locationId });
  await closeFolded(trx, { targetKey, foldedKeys, members }, nowMs);
  return members;
}

/**
 * Decides which incident the others are folded into: the oldest, or one that somebody has acknowledged. An acknowledged
 * incident is in somebody's hands and is never folded itself. Pure.
 */
function planFolding(incidents: readonly FoldableIncident[]): {
  target: FoldableIncident;
  folded: FoldableIncident[];
} {
  const oldestFirst = [...incidents].sort((a, b) => a.key - b.key);
  const isAcknowledged = ({ state }: FoldableIncident) => state === "acknowledged";
  const target = (oldestFirst.find(isAcknowledged) ?? oldestFirst[0]) as FoldableIncident;
  const folded = oldestFirst.filter((incident) => incident !== target && !isAcknowledged(incident));
  return { target, folded };
}

interface Folded {
  targetKey: number;
  foldedKeys: readonly number[];
  /** Members that moved. */
  members: readonly MovedMember[];
}

async function closeFolded(
  trx: Knex,
  { targetKey, foldedKeys, members }: Folded,
  nowMs: number,
): Promise<void> {
  const rows = new Map(
    (await readIncidentRows(trx, [targetKey, ...foldedKeys])).map((row) => [row.key, row]),
  );
  const target = rows.get(targetKey);
  if (!target) return;
  const now = new Date(nowMs).toISOString();
  const ended = foldedKeys.flatMap((key) => {
    const row = rows.get(key);
    if (!row) return [];
    const closed = { state: "closed" as const, closedAt: now, quietSince: null, updatedAt: now };
    const incident = { ...row, ...closed, memberCount: 0, openMemberCount: 0, mergedInto: target.id };
    return [{ incident, previousState: row.state }];
  });
  await updateIncidents(trx, [
    { ...target, memberCount: target.memberCount + members.length },
    ...ended.map(({ incident }) => incident),
  ]);
  const byFormerIncident = groupBy(members, ({ fromKey }) => fromKey);
  await writeReports(
    trx,
    ended.map(({ incident, previousState }) => ({
      type: "closed",
      incident,
      actorId: null,
      instanceIds: [],
      channelIds: channelsOf(byFormerIncident.get(incident.key)),
      detail: {
        previousState,
        mergedInto: target.id,
        reason: `Its location fails as a whole: its alerts are part of incident ${target.id} now`,
      },
    })),
    nowMs,
  );
}

function channelsOf(members: readonly MovedMember[] = []): ChannelId[] {
  return [...new Set(members.flatMap(({ channelIds }) => channelIds))];
}
