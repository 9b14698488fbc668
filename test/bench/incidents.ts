/** A storm of alerts through the correlation: how soon the first is notified, how long all take, what each costs. */
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { type BenchDatabase, createLoad, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, printTable } from "./measure.ts";

const ALERTS = 5_000;
const POLL_MS = 20;

export async function incidentsBench(): Promise<void> {
  const rows = [];
  for (const [title, hosts] of [
    ["one host", 1],
    ["100 hosts", 100],
    ["a host each", ALERTS],
  ] as const)
    rows.push({ storm: `${ALERTS} alerts, ${title}`, ...(await measureStorm(hosts)) });
  printTable(rows);
}

async function measureStorm(hosts: number): Promise<Record<string, number>> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  try {
    const database = await openBenchDatabase(folder.path);
    await createLoad(controlPlane, database, ALERTS);
    const { client } = database;
    const channel = { type: "chat", webhookUrl: "http://127.0.0.1:9/hook" };
    const made = await controlPlane.ok<{ channel: { id: string } }>("POST", "/api/notification-channels", {
      name: "storm",
      channel,
    });
    await client.query(
      `UPDATE checks SET config = jsonb_set(config, '{url}', to_jsonb('https://h' || key % $1 || '.storm' || key % $1 || '.test/'))`,
      [hosts],
    );
    const pid = controlPlane.process.pid;
    const cpuBefore = { service: cpuMs(pid), database: database.cpuMs() };
    const startMs = performance.now();
    await begin(database, made.channel.id);
    let firstMs = 0;
    for (;;) {
      const { rows } = await client.query(
        "SELECT (SELECT count(*)::int FROM incident_queue) AS waiting, (SELECT count(*)::int FROM incident_events) AS events",
      );
      if (firstMs === 0 && rows[0].events > 0) firstMs = performance.now() - startMs;
      if (rows[0].waiting === 0) break;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const elapsedMs = performance.now() - startMs;
    const counts = await client.query(
      "SELECT count(*)::int AS incidents, (SELECT count(*)::int FROM incident_members) AS members FROM incidents",
    );
    if (counts.rows[0].members !== ALERTS) throw new Error(`${counts.rows[0].members} alerts were placed`);
    await database.close();
    return {
      incidents: counts.rows[0].incidents,
      "first notified after ms": firstMs,
      "all placed after ms": elapsedMs,
      "service CPU ms/alert": (cpuMs(pid) - cpuBefore.service) / ALERTS,
      "database CPU ms/alert": (database.cpuMs() - cpuBefore.database) / ALERTS,
    };
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** An alert of each check begins, in one transaction, as the evaluation of a group of results writes it. */
async function begin({ client }: BenchDatabase, channelId: string): Promise<void> {
  await client.query("BEGIN");
  await client.query(
    `INSERT INTO alert_rules (id, team_id, check_key, name, enabled, conditions, channel_ids)
     SELECT 'alert_' || lpad(key::text, 26, '0'), team_id, key, 'Down', true,
       '[{"type": "consecutive_failures", "count": 2}]', ARRAY[$1] FROM checks`,
    [channelId],
  );
  await client.query(
    `INSERT INTO alert_instances (id, team_id, rule_key, check_key, state, severity, started_at, was_announced, context)
     SELECT 'ainst_' || lpad(r.check_key::text, 26, '0'), r.team_id, r.key, r.check_key, 'active', 'critical', now(), true,
       '{"summary": "2 failures in a row", "conditions": [], "locations": ["bench"]}' FROM alert_rules r`,
  );
  await client.query(
    `INSERT INTO incident_queue (team_id, instance_id, kind, channel_ids, payload)
     SELECT i.team_id, i.id, 'triggered', r.channel_ids, jsonb_build_object('rule', jsonb_build_object('id', r.id, 'name', r.name),
       'check', jsonb_build_object('id', c.id, 'name', c.name, 'type', c.type), 'severity', 'critical', 'summary', 'failing',
       'startedAt', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
       'occurredAt', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', NULL, 'context', i.context,
       'targetUrl', c.config ->> 'url', 'locations', '["bench"]'::jsonb, 'traceId', NULL)
     FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key JOIN checks c ON c.key = i.check_key`,
  );
  await client.query("NOTIFY svc_incident_queue");
  await client.query("COMMIT");
}
