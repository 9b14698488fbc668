/** Access to the embedded PostgreSQL of a control plane under benchmark, and the load it is filled with. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckId, newId, phaseMs } from "@svc/contract";
import pg from "pg";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { ensurePartitions } from "../../control-plane/src/results/retention/partitions.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { cpuMs } from "./measure.ts";

export interface BenchDatabase {
  client: pg.Client;
  /** For a pool of one's own to it. */
  url: string;
  /** CPU of the server and all its backends so far, ms. Backends that ended count by their parent. */
  cpuMs(): number;
  /** Returns the bytes of write-ahead log that were written so far. */
  walBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Connects to the server whose cluster lies in the control plane's data folder. */
export async function openBenchDatabase(dataDir: string): Promise<BenchDatabase> {
  const { pid, socketFolder } = serverOf(dataDir);
  const url = `postgres:///svc?host=${encodeURIComponent(socketFolder)}&user=svc`;
  const client = new pg.Client({ host: socketFolder, user: "svc", database: "svc" });
  await client.connect();
  return {
    client,
    url,
    cpuMs: () => processTree(pid).reduce((sum, process) => sum + cpuMs(process), 0),
    async walBytes() {
      const { rows } = await client.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes");
      return Number(rows[0].bytes);
    },
    close: () => client.end(),
  };
}

function serverOf(dataDir: string): { pid: number; socketFolder: string } {
  const lines = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n");
  return { pid: Number(lines[0]), socketFolder: lines[4] ?? "" };
}

/** Returns a process and all that descend from it and run. */
export function processTree(rootPid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // ended meanwhile
    }
  }
  const tree = [rootPid];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** A check of the load: results for any slot of its grid are accepted. */
export interface LoadCheck {
  key: number;
  id: string;
  phaseMs: number;
}

/**
 * Makes a private location with a runner key and `count` checks that count as having been there always.
 * One check goes through the API, so that its row is as the service writes it; the others are copies of it.
 */
export async function createLoad(
  controlPlane: ControlPlane,
  { client }: Pick<BenchDatabase, "client">,
  count: number,
  frequencySeconds = 10,
) {
  const { location } = await controlPlane.ok<{ location: { id: string } }>("POST", "/api/locations", {
    name: "bench",
  });
  const { key } = await controlPlane.ok<{ key: { secret: string } }>(
    "POST",
    `/api/locations/${location.id}/keys`,
    {},
  );
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "bench",
    type: "http",
    frequencySeconds,
    locations: [location.id],
    httpConfig: { url: "http://127.0.0.1:9/" },
  });
  const columns = "team_id, name, type, config, frequency_seconds, location_ids, enabled, revision";
  await client.query(
    `INSERT INTO checks (id, ${columns})
     SELECT 'chk_' || lpad(n::text, 26, '0'), ${columns} FROM checks, generate_series(1, $2) n WHERE id = $1`,
    [check.id, count - 1],
  );
  await client.query(
    `INSERT INTO check_revisions (check_key, revision, frequency_seconds, location_keys, enabled, effective_from_ms)
     SELECT key, revision, frequency_seconds, (SELECT array_agg(key) FROM locations WHERE id = $1), true, 0 FROM checks
     ON CONFLICT (check_key, revision) DO UPDATE SET effective_from_ms = 0`,
    [location.id],
  );
  await client.query("NOTIFY svc_changes, 'checks'");
  const { rows } = await client.query<{ key: string; id: CheckId; location_key: number }>(
    "SELECT c.key, c.id, l.key AS location_key FROM checks c, locations l WHERE l.id = $1 ORDER BY c.key",
    [location.id],
  );
  return {
    runnerKey: key.secret,
    locationKey: rows[0]?.location_key ?? 0,
    checks: rows.map(
      (row): LoadCheck => ({ key: Number(row.key), id: row.id, phaseMs: phaseMs(row.id, frequencySeconds) }),
    ),
  };
}

/** Gives each of these checks a rule with these conditions. */
export async function addAlertRules(
  { client }: BenchDatabase,
  checks: readonly LoadCheck[],
  conditions: readonly object[],
  channelIds: readonly string[] = [],
): Promise<void> {
  await client.query(
    `INSERT INTO alert_rules (id, team_id, check_key, enabled, conditions, channel_ids)
     SELECT r.id, c.team_id, c.key, true, $1, $2
     FROM unnest($3::text[], $4::bigint[]) AS r (id, key) JOIN checks c ON c.key = r.key`,
    [
      JSON.stringify(conditions),
      channelIds,
      checks.map(() => newId("alertRule")),
      checks.map(({ key }) => key),
    ],
  );
}

/**
 * Adds `count` success rows of past slots in the server, spread over the checks, at slots before `beforeMs`: check by check, as days
 * are stored that were merged, or slot by slot, as they arrive.
 * @param fill.everySeconds seconds between two slots of a check, a multiple of its frequency; default 10
 */
export async function fillResults(
  { client, url }: BenchDatabase,
  checks: readonly LoadCheck[],
  locationKey: number,
  beforeMs: number,
  {
    count,
    order,
    everySeconds = 10,
  }: { count: number; order: "by check" | "by slot"; everySeconds?: number },
): Promise<void> {
  const perCheck = Math.ceil(count / checks.length);
  const stepMs = everySeconds * 1000;
  const slotMs = "(($3::bigint / $7::bigint - n) * $7::bigint + c.phase_ms)";
  // Merged results store no trace id of an agent; others have the same, with the flag that says so.
  const trace =
    order === "by check"
      ? "NULL, NULL"
      : `encode(substring(sha256(convert_to(k.id || '/' || l.id || '/' || ${slotMs}, 'UTF8')) FOR 16), 'hex')::uuid, true`;
  await createPartitions({ url }, beforeMs - (perCheck + 1) * stepMs, beforeMs);
  const fill = (some: readonly LoadCheck[], from: number, to: number) =>
    client.query(
      `INSERT INTO results (check_key, location_key, slot_ms, created_at, runner_key, start_delay_ms, elapsed_us, response_time_us,
         dns_lookup_us, tcp_connect_us, ttfb_us, content_transfer_us, http_status_code, status, trace_id, has_own_trace_id)
       SELECT c.key, $4, ${slotMs}, to_timestamp((${slotMs} + 900) / 1000.0), 1, 1, 3000, 2500, 100, 200, 2000, 200, 200, 1,
         ${trace}
       FROM unnest($1::bigint[], $2::bigint[]) c(key, phase_ms) JOIN checks k USING (key) JOIN locations l ON l.key = $4,
         generate_series($5::int, $6::int) n
       ORDER BY ${order === "by check" ? "c.key, n DESC" : "n, c.key"}
       ON CONFLICT DO NOTHING`,
      [
        some.map((check) => check.key),
        some.map((check) => check.phaseMs),
        Math.floor(beforeMs),
        locationKey,
        from,
        to,
        stepMs,
      ],
    );
  const atATime = (each: number) => Math.max(1, Math.floor(500_000 / each));
  if (order === "by check")
    for (let at = 0; at < checks.length; at += atATime(perCheck))
      await fill(checks.slice(at, at + atATime(perCheck)), 1, perCheck);
  else
    for (let from = 0; from < perCheck; from += atATime(checks.length))
      await fill(checks, from + 1, Math.min(perCheck, from + atATime(checks.length)));
  await client.query("ANALYZE results");
}

/** Makes the partitions for all slots from `fromMs` to `toMs`, as the service does. */
export async function createPartitions(
  { url }: Pick<BenchDatabase, "url">,
  fromMs: number,
  toMs: number,
): Promise<void> {
  const knex = openPool(url, { poolMax: 1 });
  await ensurePartitions(knex, fromMs, toMs).finally(() => knex.destroy());
}
