/**
 * Incidents that turn out to be one: opened for checks that fail at one location only, before it was known that the location
 * fails as a whole. The oldest becomes the location's; the alerts of the others move there, and they are closed.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { ToldAlert } from "../../outbox/payload.ts";
import { type AlertToPlace, CORRELATION_WINDOW_MS } from "./correlate.ts";
import type { FailingLocations } from "./facts.ts";
import { type FoldableIncident, type MovedMember, moveMembers, readFoldable } from "./fold-store.ts";
import { groupBy } from "./group-by.ts";
import { readIncidentRows, updateIncidents } from "./store.ts";
import { writeHappened } from "./write-events.ts";

/** Alerts that moved, by the incident where they are now. */
export type MovedAlerts = ReadonlyMap<number, readonly ToldAlert[]>;

/**
 * Folds what can be, and writes and tells the end of what was folded; what moved is left to tell to the caller.
 * @param alerts that begin: those of incidents within their window are looked at
 */
export async function foldIncidents(
  trx: Knex,
  teamId: TeamId,
  failing: FailingLocations,
  alerts: readonly Pick<AlertToPlace, "startedAtMs">[],
  nowMs: number,
): Promise<MovedAlerts> {
  const moved = new Map<number, ToldAlert[]>();
  if (failing.size === 0) return moved;
  const sinceMs = Math.min(...alerts.map(({ startedAtMs }) => startedAtMs)) - CORRELATION_WINDOW_MS;
  const foldable = await readFoldable(trx, teamId, [...failing.keys()], sinceMs);
  for (const [locationId, incidents] of groupBy(foldable, (incident) => incident.locationId)) {
    const { target, folded } = planFolding(incidents);
    const keys = folded.map(({ key }) => key);
    const members = await moveMembers(trx, { targetKey: target.key, foldedKeys: keys, locationId });
    if (keys.length === 0) continue;
    moved.set(
      target.key,
      members.map(({ told }) => told),
    );
    await closeFolded(trx, target.key, keys, members, nowMs);
  }
  return moved;
}

/** One that someone has acknowledged is in somebody's hands: the others come to it, and it is never folded itself. Pure. */
export function planFolding(incidents: readonly FoldableIncident[]): {
  target: FoldableIncident;
  folded: FoldableIncident[];
} {
  const oldestFirst = [...incidents].sort((a, b) => a.key - b.key);
  const isAcknowledged = ({ state }: FoldableIncident) => state === "acknowledged";
  const target = (oldestFirst.find(isAcknowledged) ?? oldestFirst[0]) as FoldableIncident;
  const folded = oldestFirst.filter((incident) => incident !== target && !isAcknowledged(incident));
  return { target, folded };
}

async function closeFolded(
  trx: Knex,
  targetKey: number,
  foldedKeys: readonly number[],
  moved: readonly MovedMember[],
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
    const over = { state: "closed" as const, closedAt: now, quietSince: null, updatedAt: now };
    const incident = { ...row, ...over, memberCount: 0, openMemberCount: 0, mergedInto: target.id };
    return [{ incident, previousState: row.state }];
  });
  await updateIncidents(trx, [
    { ...target, memberCount: target.memberCount + moved.length },
    ...ended.map(({ incident }) => incident),
  ]);
  const movedFrom = groupBy(moved, ({ fromKey }) => fromKey);
  await writeHappened(
    trx,
    ended.map(({ incident, previousState }) => ({
      ...{
        type: "closed",
        incident,
        actorId: null,
        instanceIds: [],
        channelIds: channelsOf(movedFrom.get(incident.key)),
      },
      detail: {
        previousState,
        mergedInto: target.id,
        reason: `Its location fails as a whole: its alerts are part of incident ${target.id} now`,
      },
    })),
    nowMs,
  );
}

function channelsOf(members: readonly MovedMember[] = []): string[] {
  return [...new Set(members.flatMap(({ channelIds }) => channelIds))];
}
