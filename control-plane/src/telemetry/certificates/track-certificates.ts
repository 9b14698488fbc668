/**
 * Compares the certificates of stored results with those seen before, in ingest's transaction, so that each change becomes
 * one event, however many replicas store results. Runs send TLS facts when these change, so most transactions have none.
 */
import type { CheckId, TeamId, TlsFacts } from "@svc/contract";
import type { Knex } from "knex";
import { traceIdAt } from "../../results/ingest/columns.ts";
import { factsOf, type ResultFact } from "../../results/ingest/facts/fact-store.ts";
import { tlsFactStore } from "../../results/ingest/facts/tls.ts";
import type { ResultConsumer, ResultGroup } from "../../results/ingest/write-group.ts";
import { type DerivedEvent, recordDerivedEvents } from "../derived-events/store.ts";
import { type SightingRun, sightingEvents } from "./certificate-events.ts";
import { applySighting, nextWarningAtMs, type Sighting } from "./certificate-state.ts";
import { lockHosts, readLocationNames, type TrackedHost, updateHosts } from "./store.ts";

/** Returns a check from memory; undefined when it was deleted. */
export type CheckOf = (checkKey: number) => { id: CheckId; teamId: TeamId } | undefined;

interface HostSighting extends Sighting {
  row: number;
  checkKey: number;
  teamId: TeamId;
  checkId: CheckId;
}

/** True when results of the group bring certificates to compare. */
export function bringsCertificates({ facts }: ResultGroup): boolean {
  return factsOf(facts, tlsFactStore).length > 0;
}

/** Returns the consumer that compares the certificates of a group's stored results. */
export function trackCertificates(checkOf: CheckOf): ResultConsumer {
  return async (trx, group, stored) => {
    const sightings = factsOf(group.facts, tlsFactStore)
      .filter(({ row }) => stored === "all" || stored.has(row))
      .flatMap((fact) => sightingOf(group, fact, checkOf))
      .sort((a, b) => a.slotMs - b.slotMs);
    if (sightings.length === 0) return;
    await applySightings(trx, group, sightings);
  };
}

function sightingOf(
  { columns }: ResultGroup,
  { row, value: facts }: ResultFact<TlsFacts>,
  checkOf: CheckOf,
): HostSighting[] {
  const checkKey = columns.checkKeys[row] as number;
  const check = checkOf(checkKey);
  if (!check) return [];
  const [locationKey, slotMs] = [columns.locationKeys[row] as number, columns.slotsMs[row] as number];
  const { id: checkId, teamId } = check;
  return [{ row, checkKey, checkId, teamId, locationKey, slotMs, facts }];
}

async function applySightings(trx: Knex, group: ResultGroup, sightings: HostSighting[]): Promise<void> {
  const hosts = await lockHosts(
    trx,
    sightings.map(({ checkKey, teamId, facts }) => ({ checkKey, teamId, host: facts.host })),
  );
  const keyOf = (checkKey: number, host: string) => `${checkKey} ${host}`;
  const known = new Map(hosts.map((host) => [keyOf(host.checkKey, host.host), host]));
  const changed = new Map<string, TrackedHost>();
  const changes = sightings.flatMap((sighting) => {
    const key = keyOf(sighting.checkKey, sighting.facts.host);
    const host = known.get(key);
    if (!host) return [];
    const { state, change } = applySighting(host, sighting);
    if (state === host) return [];
    const after = { ...host, ...state };
    known.set(key, after);
    changed.set(key, after);
    return change.isObserved ? [{ sighting, change }] : [];
  });
  await updateHosts(
    trx,
    [...changed.values()].map((host) => ({ ...host, warnAtMs: nextWarningAtMs(host) })),
  );
  if (changes.length === 0) return;
  const locations = await readLocationNames(
    trx,
    changes.map(({ sighting }) => sighting.locationKey),
  );
  const events: DerivedEvent[] = changes.flatMap(({ sighting, change }) =>
    sightingEvents(
      { ...runOf(group, sighting), location: locations.get(sighting.locationKey) },
      sighting.facts,
      change,
    ),
  );
  await recordDerivedEvents(trx, events);
}

function runOf({ columns }: ResultGroup, sighting: HostSighting): Omit<SightingRun, "location"> {
  const { row, teamId, checkId, checkKey, slotMs } = sighting;
  const delayMs = (columns.startDelaysMs[row] as number) + (columns.elapsedUs[row] as number) / 1000;
  return {
    teamId,
    checkId,
    checkKey,
    slotMs,
    atMs: Math.round(slotMs + delayMs),
    status: columns.statuses[row] as number,
    traceId: traceIdAt(columns, row),
  };
}
