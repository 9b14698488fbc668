import {
  type CapacityChange,
  type CapacityPreview,
  capacityWarning,
  changedDemand,
  demandOf,
  invalidField,
  type LocationId,
  NO_DEMAND,
  type RunsOfCheck,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import type { Capacities } from "./capacities.ts";
import { type CapacityLocationRow, type ChangedCheckRow, readChangedChecks } from "./store.ts";
import type { Demands, TeamCapacity } from "./team-capacity.ts";

/**
 * Returns what changes of checks would do to the locations that they touch. Changes nothing.
 * @throws DomainError `invalid` for a check or a location that the team does not have, and for a check that is named twice
 */
export async function previewCapacity(
  context: TeamContext,
  { changes, capacities }: { changes: readonly CapacityChange[]; capacities: Capacities },
): Promise<CapacityPreview> {
  const { services, teamId } = context;
  const wanted = new Set(changes.flatMap(({ after }) => after?.locations ?? []));
  const capacity = await capacities.readKnowing(context, [...wanted]);
  const locations = new Map(capacity.locations.map((row) => [row.id as string, row]));
  assertLocationsKnown(changes, locations);
  const ids = changes.flatMap(({ checkId }) => checkId ?? []);
  if (new Set(ids).size < ids.length) throw invalidField("changes", "a check is named twice");
  const rows =
    ids.length === 0
      ? []
      : await readChangedChecks(services.knex, teamId, { ids, nowMs: services.clock.nowMs() });
  const byId = new Map<string, ChangedCheckRow>(rows.map((row) => [row.id, row]));
  const unknown = changes.findIndex(({ checkId }) => checkId !== undefined && !byId.has(checkId));
  if (unknown >= 0)
    throw invalidField("changes", `${unknown}.checkId: there is no check "${changes[unknown]?.checkId}"`);
  const after = demandsAfter(capacity, { changes, byId, locations });
  const steps = capacity.locations
    .filter(({ key, isRetired }) => after.has(key) && !isRetired)
    .map((location) => ({
      locationId: location.id,
      name: location.name,
      before: capacity.figuresAt(location),
      after: capacity.figuresAt(location, new Map([...capacity.demands, ...after])),
    }));
  return {
    locations: steps,
    warnings: steps.flatMap(({ locationId, name, after: figures }) => {
      const sentence = capacityWarning(name, figures, { isPlanned: true });
      const { shareBasisPoints } = figures;
      return sentence === undefined || shareBasisPoints === null
        ? []
        : [{ locationId: locationId as LocationId, shareBasisPoints, sentence }];
    }),
  };
}

interface Changed {
  changes: readonly CapacityChange[];
  byId: ReadonlyMap<string, ChangedCheckRow>;
  locations: ReadonlyMap<string, CapacityLocationRow>;
}

/** Returns the demands of the locations that the changes touch, as they would be. */
function demandsAfter(capacity: TeamCapacity, { changes, byId, locations }: Changed): Demands {
  const keysOf = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const key = locations.get(id)?.key;
      return key === undefined ? [] : [{ id, key }];
    });
  const added = new Map<number, CountedRuns[]>();
  const removed = new Map<number, CountedRuns[]>();
  for (const { checkId, after, count: times } of changes) {
    const now = checkId === undefined ? undefined : byId.get(checkId);
    if (now?.enabled)
      for (const { id, key } of keysOf(Object.keys(now.meansUs))) {
        const runSeconds = capacity.times.secondsAt(key, now, now.meansUs[id]);
        append(removed, key, { ...now, runSeconds, times: 1 });
      }
    if (!after?.enabled) continue;
    const { type, runKind, frequencySeconds } = after;
    const isSameKind = now?.type === type && (runKind === undefined || now.kind === runKind);
    const kind = isSameKind ? now.kind : runKind;
    for (const { id, key } of keysOf(after.locations)) {
      const meanUs = isSameKind ? now.meansUs[id] : undefined;
      const runSeconds = capacity.times.secondsAt(key, { type, kind }, meanUs);
      append(added, key, { type, kind, frequencySeconds, runSeconds, times });
    }
  }
  return new Map(
    [...new Set([...added.keys(), ...removed.keys()])].map((key) => [
      key,
      changedDemand(capacity.demands.get(key) ?? NO_DEMAND, {
        added: demandOf(added.get(key) ?? []),
        removed: demandOf(removed.get(key) ?? []),
      }),
    ]),
  );
}

type CountedRuns = RunsOfCheck & { times: number };

function append(to: Map<number, CountedRuns[]>, key: number, runs: CountedRuns): void {
  const list = to.get(key);
  if (list) list.push(runs);
  else to.set(key, [runs]);
}

function assertLocationsKnown(
  changes: readonly CapacityChange[],
  locations: ReadonlyMap<string, CapacityLocationRow>,
): void {
  for (const [index, { after }] of changes.entries())
    for (const id of after?.locations ?? [])
      if (!locations.has(id))
        throw invalidField("changes", `${index}.after.locations: there is no location ${JSON.stringify(id)}`);
}
