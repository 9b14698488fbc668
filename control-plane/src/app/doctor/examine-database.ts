/** Examines the database: that it answers, can be written to, is migrated, keeps what it acknowledges, and has connections left. */
import { DAY_MS, type Finding, found, listed, MINUTE_MS, SECOND_MS } from "@svc/contract";
import { monotonicMs } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import { engineOf, learnEngine } from "../../platform/db/engine.ts";
import { PART_MS } from "../../results/retention/partitions.ts";
import type { Patient } from "./patient.ts";
import { askNothing, readServerFacts, type ServerFacts } from "./store.ts";

/** Oldest version of PostgreSQL that the service works with, as `server_version_num`. */
const VERSION_MIN = 140_000;
/** Round trips that are timed; their median counts. */
const ROUND_TRIPS = 5;
/** Round trip from which a transaction of a few statements takes a noticeable time, ms. */
const ROUND_TRIP_WARNED_MS = 10;
/** Age from which an open transaction keeps the vacuum from its work, s: no statement of the service may take that long. */
const TRANSACTION_WARNED_S = (10 * MINUTE_MS) / SECOND_MS;
/** Connections of a control plane besides its pools: wake-ups and locks. */
const EXTRA_CONNECTIONS = 4;
/** Tables of a past day: its parts of results, the day itself, and its details. */
const TABLES_OF_DAY = DAY_MS / PART_MS + 2;
/** Most relations that a statement locks for each of them: the table, and its indexes. */
const LOCKS_OF_TABLE = 5;
/** Statements about all days at once that the server is to bear. */
const LONG_STATEMENTS = 4;

/** Returns the state of the database. */
export async function examineDatabase(patient: Patient): Promise<Finding[]> {
  const { knex, config, pendingMigrations } = patient;
  if (!knex) return [...patient.databaseFindings];
  const roundTripMs = await medianRoundTrip(() => askNothing(knex));
  const facts = await readServerFacts(knex);
  const engine = await learnEngine(knex);
  const name = `PostgreSQL ${facts.version}${engineOf(knex) === "citus" ? " with Citus" : ""}`;
  const home = config.databaseUrl ? "" : `, in ${config.dataDir}`;
  return [
    found.ok(`${name} answers in ${roundTripMs.toFixed(1)} ms${home}`),
    ...distanceFindings(roundTripMs),
    ...migrationFindings(pendingMigrations),
    ...serverFindings(facts, config),
    ...(engine === "citus" && config.databaseReadUrl
      ? [
          found.problem(
            "DATABASE_READ_URL is set, and standbys of Citus are not read from",
            "unset DATABASE_READ_URL",
          ),
        ]
      : []),
  ];
}

async function medianRoundTrip(ask: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUND_TRIPS; round++) {
    const startedAtMs = monotonicMs();
    await ask();
    times.push(monotonicMs() - startedAtMs);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)] as number;
}

function distanceFindings(roundTripMs: number): Finding[] {
  if (roundTripMs < ROUND_TRIP_WARNED_MS) return [];
  return [
    found.warning(
      `a statement takes ${roundTripMs.toFixed(0)} ms to the database and back: each alert waits for several`,
      "run the control plane near its database",
    ),
  ];
}

function migrationFindings(pending: readonly string[]): Finding[] {
  if (pending.length === 0) return [found.ok("every migration has run")];
  return [
    found.warning(
      `${pending.length === 1 ? "a migration has" : `${pending.length} migrations have`} not run: ${listed(pending)}`,
      "run `svc-control-plane migrate`, or start this version of the service",
    ),
  ];
}

/** Judges what a server tells of itself. Pure. */
export function serverFindings(
  facts: ServerFacts,
  config: Pick<Config, "databaseUrl" | "databasePoolMax" | "retentionDays">,
): Finding[] {
  return [
    ...lockFindings(facts, config),
    ...writeFindings(facts),
    ...durabilityFindings(facts),
    ...connectionFindings(facts, config),
    ...vacuumFindings(facts),
  ];
}

function lockFindings(
  { locksMax, connectionsMax }: ServerFacts,
  { retentionDays }: Pick<Config, "retentionDays">,
): Finding[] {
  const needed = LONG_STATEMENTS * retentionDays * TABLES_OF_DAY * LOCKS_OF_TABLE;
  if (locksMax >= needed) return [];
  return [
    found.warning(
      `the server holds ${locksMax} locks, and ${LONG_STATEMENTS} statements about all ${retentionDays} days of results may take ${needed}: they, and whoever else needs one, would fail with "out of shared memory"`,
      `set max_locks_per_transaction to ${Math.ceil(needed / connectionsMax / 64) * 64} or more, and restart the server`,
    ),
  ];
}

function writeFindings({ versionNumber, version, isStandby, isReadOnly }: ServerFacts): Finding[] {
  const findings: Finding[] = [];
  if (versionNumber < VERSION_MIN)
    findings.push(
      found.problem(
        `the service needs PostgreSQL ${VERSION_MIN / 10_000} or newer, and this is ${version}`,
        "upgrade the server",
      ),
    );
  if (isStandby)
    findings.push(
      found.problem(
        "the server is a standby, which takes no writes",
        "name the primary, or all servers, in DATABASE_URL",
      ),
    );
  else if (isReadOnly)
    findings.push(
      found.problem(
        "the database takes no writes: default_transaction_read_only is on",
        "set default_transaction_read_only to off for this database and user",
      ),
    );
  return findings;
}

function durabilityFindings({
  fsync,
  fullPageWrites,
  synchronousCommit,
  autovacuum,
}: ServerFacts): Finding[] {
  const findings: Finding[] = [];
  if (fsync === "off" || fullPageWrites === "off")
    findings.push(
      found.problem(
        `${fsync === "off" ? "fsync" : "full_page_writes"} is off: a crash of the machine can destroy the database`,
        "switch it on in postgresql.conf",
      ),
    );
  if (synchronousCommit === "off")
    findings.push(
      found.warning(
        "synchronous_commit is off: a crash loses the results that were acknowledged just before",
        "set synchronous_commit to on, or accept the loss",
      ),
    );
  if (autovacuum === "off")
    findings.push(
      found.warning(
        "autovacuum is off: tables and statistics go stale",
        "switch autovacuum on in postgresql.conf",
      ),
    );
  return findings;
}

function connectionFindings(
  { connections, connectionsMax }: ServerFacts,
  { databasePoolMax }: Pick<Config, "databasePoolMax">,
): Finding[] {
  const perReplica = databasePoolMax + EXTRA_CONNECTIONS;
  const free = connectionsMax - connections;
  const counts = `${connections} of ${connectionsMax} connections are open, and a control plane opens up to ${perReplica}`;
  const remedy = "raise max_connections, or lower SVC_DATABASE_POOL_MAX";
  if (connectionsMax < perReplica) return [found.problem(counts, remedy)];
  return [free < perReplica ? found.warning(counts, remedy) : found.ok(counts)];
}

function vacuumFindings({ oldestTransactionPid, oldestTransactionSeconds }: ServerFacts): Finding[] {
  if (oldestTransactionSeconds === null || oldestTransactionSeconds < TRANSACTION_WARNED_S) return [];
  return [
    found.warning(
      `the session ${oldestTransactionPid} has had a transaction open for ${Math.floor(oldestTransactionSeconds / 60)} minutes: meanwhile nothing that was deleted is cleared away`,
      `end it: SELECT pg_terminate_backend(${oldestTransactionPid})`,
    ),
  ];
}
