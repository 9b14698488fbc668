/** The simulated fleet: checks, locations, agents and replicas, the same ones in every process. Pure. */
import { type CheckId, type LocationId, phaseMs, type RunnerId, type TeamId } from "@svc/contract";
import type { DocumentRow } from "../../../control-plane/src/fleet/check-documents.ts";
import type { CheckRow, LocationRow, RunnerRow } from "../../../control-plane/src/fleet/fleet-store.ts";

/** Sizes of the fleet. */
export interface FleetSize {
  checks: number;
  locations: number;
  agents: number;
  replicas: number;
}

/** The instant at which the simulation begins, Unix ms. */
export const START_MS = Date.UTC(2026, 0, 1);
const FREQUENCY_SECONDS = 60;
export const PERIOD_MS = FREQUENCY_SECONDS * 1000;
const TEAMS = 1_000;
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const CAPACITY_PER_SECOND = 1_000;

/** An agent and where it is. */
export interface AgentPosition {
  key: number;
  locationKey: number;
  /** The replica that it is connected to, from 0. */
  replica: number;
}

/** Returns the agents, spread evenly over locations and replicas. */
export function agentsOf({ agents, locations, replicas }: FleetSize): AgentPosition[] {
  return Array.from({ length: agents }, (_, i) => ({
    key: i + 1,
    locationKey: 1 + (i % locations),
    replica: Math.floor(i / locations) % replicas,
  }));
}

/** Returns a number from [0, 1) that looks random, the same one for the same parts. */
export function chance(...parts: number[]): number {
  let bits = 0x2545f491;
  for (const part of parts) {
    bits = Math.imul(bits ^ part, 0x85ebca6b);
    bits ^= bits >>> 13;
    bits = Math.imul(bits, 0xc2b2ae35);
    bits ^= bits >>> 16;
  }
  return (bits >>> 0) / 2 ** 32;
}

export function locationRows({ locations }: FleetSize): LocationRow[] {
  return Array.from({ length: locations }, (_, i) => ({
    key: i + 1,
    id: `loc_${i + 1}` as LocationId,
    name: `location ${i + 1}`,
    teamId: null,
    status: "active",
  }));
}

/** Returns the row of a runner whose lease ends at `leaseUntilMs`. */
export function runnerRow(
  { key, locationKey, replica }: AgentPosition,
  leaseUntilMs: number,
  nowMs: number,
): RunnerRow {
  return {
    key,
    id: `rnr_${key}` as RunnerId,
    sessionId: `session of ${key}`,
    replicaId: `replica ${replica}`,
    locationKeys: [locationKey],
    capabilities: ["http", "browser", "mcp", "vault", "test_runs"],
    capacityPerSecond: CAPACITY_PER_SECOND,
    draining: false,
    connectedAtMs: START_MS,
    leaseUntilMs,
    isAlive: leaseUntilMs > nowMs,
    notAcceptingSinceMs: null,
  };
}

/** Returns checks with the keys from `firstKey`, as a page of the database. */
export function checkRows(size: FleetSize, firstKey: number, count: number): CheckRow[] {
  const locationKeys = Array.from({ length: size.locations }, (_, i) => i + 1);
  const locationIds = locationRows(size).map(({ id }) => id);
  return Array.from({ length: count }, (_, i) => ({
    key: firstKey + i,
    id: checkIdOf(firstKey + i),
    teamId: teamIdOf(firstKey + i),
    type: "http",
    frequencySeconds: FREQUENCY_SECONDS,
    locationIds: [...locationIds],
    enabled: true,
    revision: firstKey + i,
    usesVault: false,
    revisions: [
      { frequencySeconds: FREQUENCY_SECONDS, locationKeys: [...locationKeys], effectiveFromMs: START_MS - 1 },
    ],
  }));
}

/** Returns a check with its configuration, as a row of the database. */
export function documentRow(checkKey: number): DocumentRow {
  return {
    key: checkKey,
    id: checkIdOf(checkKey),
    teamId: teamIdOf(checkKey),
    name: `Check out of shop ${checkKey}`,
    type: "http",
    config: {
      url: `https://shop-${checkKey}.example.com/api/v1/health?full=true`,
      method: "GET",
      headers: { accept: "application/json", "user-agent": "svc" },
      timeoutMs: 10_000,
      followRedirects: true,
      assertions: [
        { type: "status_code", value: 200 },
        { type: "response_time", max: 2_000 },
      ],
    },
    configSecrets: null,
    frequencySeconds: FREQUENCY_SECONDS,
    retry: null,
    revision: checkKey,
    vaultNames: [],
    vaultSecrets: null,
  };
}

export function phaseOf(checkKey: number): number {
  return phaseMs(checkIdOf(checkKey), FREQUENCY_SECONDS);
}

function teamIdOf(checkKey: number): TeamId {
  return `team_${String(checkKey % TEAMS).padStart(26, "0")}` as TeamId;
}

/** Returns the check's id: 128 bits in base32, the first half of which grows with the key as a time would. */
function checkIdOf(checkKey: number): CheckId {
  let text = `chk_0${checkKey.toString(16).padStart(10, "0")}`;
  for (let i = 0; i < 15; i++) text += DIGITS[Math.floor(chance(checkKey, i) * DIGITS.length)];
  return text as CheckId;
}
