/** Rows of locations, runner keys and runners, and their form in the API. */
import type {
  ChannelId,
  Location,
  LocationId,
  Runner,
  RunnerId,
  RunnerKey,
  RunnerKeyId,
  TeamId,
} from "@svc/contract";
import objection from "objection";

/** A row of `locations`. Results and runners refer to `key`; the API shows `id`. */
export class LocationModel extends objection.Model {
  static override tableName = "locations";
  static override idColumn = "key";

  declare key: number;
  declare id: LocationId;
  declare teamId: TeamId | null;
  declare name: string;
  declare displayName: string;
  declare region: string;
  declare type: "hosted" | "private";
  declare status: "active" | "deprecated" | "retired";
  declare replacedBy: LocationId | null;
  declare latitude: number | null;
  declare longitude: number | null;
  declare channelIds: ChannelId[];
  /** False: alerts are not held back while the location can't reach its targets. */
  declare isGuarded: boolean;
  declare createdAt: string;
  declare updatedAt: string | null;
  declare deletedAt: string | null;
}

/** A row of `runner_keys`. Only the holder knows the key itself. */
export class RunnerKeyModel extends objection.Model {
  static override tableName = "runner_keys";
  static override idColumn = "id";

  declare id: RunnerKeyId;
  declare locationKey: number | null;
  declare name: string;
  declare keyPrefix: string;
  declare keyHash: Buffer;
  declare lastUsedAt: string | null;
  declare createdAt: string;
}

/** State of a private location, from its runners. */
export interface LocationLife {
  health: Location["health"];
  lastHeartbeat: string | null;
}

/** State of a location as a team sees it. `outage`: undefined unless it can't reach the team's targets. */
export interface LocationState {
  /** State of a private location; hosted ones are always active and show no heartbeat. */
  life: LocationLife | undefined;
  outage: Location["outage"];
}

/** Returns a location as the API shows it. */
export function locationFromRow(row: LocationModel, { life, outage }: LocationState): Location {
  return {
    id: row.id,
    name: row.name,
    displayName: row.displayName,
    region: row.region,
    type: row.type,
    status: row.status,
    health: life?.health ?? "active",
    ...(row.status !== "active" && row.replacedBy !== null ? { replacedBy: row.replacedBy } : {}),
    ...(row.teamId !== null
      ? {
          teamId: row.teamId,
          lastHeartbeat: life?.lastHeartbeat ?? null,
          channelIds: row.channelIds,
          isGuarded: row.isGuarded,
        }
      : {}),
    ...(outage ? { outage } : {}),
    ...(row.latitude !== null ? { latitude: row.latitude } : {}),
    ...(row.longitude !== null ? { longitude: row.longitude } : {}),
  };
}

/** Returns a runner key as the API shows it: its first characters, never its hash. */
export function runnerKeyFromRow(row: RunnerKeyModel): RunnerKey {
  const { id, name, keyPrefix, lastUsedAt, createdAt } = row;
  return { id, name, keyPrefix, lastUsedAt, createdAt };
}

/** A row of `runners` with the state of its lease. */
export interface RunnerRow {
  id: RunnerId;
  hostname: string;
  version: string;
  capabilities: string[];
  accepting: boolean;
  draining: boolean;
  stats: Partial<Record<RunnerFigure, number>>;
  lastHeartbeatAt: string;
  hasLease: boolean;
}

/** Figures of the last heartbeat, by the names under which the session stores them. */
const RUNNER_FIGURES = [
  "assignedChecks",
  "activeRuns",
  "backlog",
  "droppedResults",
  "latenessP99Ms",
  "loopBusyBasisPoints",
] as const;
type RunnerFigure = (typeof RUNNER_FIGURES)[number];

/** Returns a runner as the API shows it; offline without a lease. */
export function runnerFromRow(row: RunnerRow): Runner {
  const figures = Object.fromEntries(RUNNER_FIGURES.map((name) => [name, row.stats[name] ?? 0]));
  return {
    ...(figures as Record<RunnerFigure, number>),
    id: row.id,
    hostname: row.hostname,
    version: row.version,
    capabilities: row.capabilities,
    status: !row.hasLease ? "offline" : row.draining ? "draining" : "online",
    lastHeartbeat: row.lastHeartbeatAt,
    accepting: row.accepting,
  };
}
