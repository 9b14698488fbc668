import { API_ROUTES, type RouteDefinition } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  debianPrograms,
  type ReplicatedServer,
  type ReplicatedServers,
  startReplicatedServers,
} from "../../control-plane/test-support/replicated-servers.ts";
import { type ControlPlane, SECRET_KEY } from "../harness/control-plane.ts";
import { createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();
let servers: ReplicatedServers;
let standby: ReplicatedServer;
beforeEach(async () => {
  servers = await startReplicatedServers();
  standby = await servers.addStandby("second");
});
afterEach(() => servers?.end(), 60_000);

const REPORTS = API_ROUTES.filter((route: RouteDefinition) => route.isReport);

describe.skipIf(!debianPrograms())("a control plane with DATABASE_READ_URL", () => {
  test("answers every report from the standby, from the primary at once when that is gone or behind, and a team's own changes never late", async () => {
    const controlPlane = await startReading(standby.url);
    const { locationId, runnerKey } = await createLocation(controlPlane, "here");
    stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
    const checks = await createChecks(controlPlane, { count: 3, locationId, url: stack.target.url });
    await untilAllHaveResults(controlPlane, checks);
    const { slo } = await controlPlane.ok<{ slo: { id: string } }>("POST", "/api/slos", {
      name: "available",
      sloType: "check",
      checkId: checks[0]?.id,
      targetBasisPoints: 9900,
      windowDays: 30,
    });
    const paths = REPORTS.map(({ path }) =>
      path
        .replace(/^\/api\/checks\/:id/, `/api/checks/${checks[0]?.id}`)
        .replace(/^\/api\/slos\/:id/, `/api/slos/${slo.id}`)
        .replace(/^\/api\/locations\/:id/, `/api/locations/${locationId}`)
        .replace(/:month\b/, new Date().toISOString().slice(0, 7)),
    );
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => path.includes(":"))).toEqual([]);

    await until("reports come from the standby", () => comesFromStandby(controlPlane, paths[0] as string));
    const sources: Record<string, boolean> = {};
    for (const path of paths) sources[path] = await comesFromStandby(controlPlane, path);
    expect(sources).toEqual(Object.fromEntries(paths.map((path) => [path, true])));
    const lagMs = await metric(controlPlane, "svc_database_standby_lag_ms");
    expect(lagMs).toBeGreaterThanOrEqual(0);
    expect(lagMs).toBeLessThanOrEqual(2_000);

    // What a person just changed is in the next report, although the standby lacks it.
    await standby.query("SELECT pg_wal_replay_pause()");
    const check = (await createChecks(controlPlane, { count: 1, locationId, url: stack.target.url }))[0];
    expect((await controlPlane.call("GET", `/api/checks/${check?.id}/results`)).status).toBe(200);
    await until("a standby that is behind is not read from", async () =>
      Number.isNaN(await metric(controlPlane, "svc_database_standby_lag_ms")),
    );
    expect(await comesFromStandby(controlPlane, paths[0] as string)).toBe(false);
    await standby.query("SELECT pg_wal_replay_resume()");
    await until("it is read from again", () => comesFromStandby(controlPlane, paths[0] as string));

    // Reports under way while the standby dies are answered all the same.
    let isAsking = true;
    const statuses = new Map<number, number>();
    const askers = Promise.all(
      paths.map(async (path) => {
        while (isAsking) {
          const { status } = await controlPlane.fetch(path, authorized(controlPlane));
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }),
    );
    await until("all are asking", () => (statuses.get(200) ?? 0) > paths.length);
    await standby.kill9();
    const before = statuses.get(200) ?? 0;
    await until("all were asked again", () => (statuses.get(200) ?? 0) > before + 2 * paths.length);
    isAsking = false;
    await askers;
    expect([...statuses.keys()]).toEqual([200]);
    standby.start();
    await until("it is read from once more", () => comesFromStandby(controlPlane, paths[0] as string));
  });

  test("starts while the standby is away, and reads from it later", async () => {
    standby.stop();
    const controlPlane = await startReading(standby.url);
    expect(await comesFromStandby(controlPlane, "/api/overview")).toBe(false);
    standby.start();
    await until("reports come from the standby", () => comesFromStandby(controlPlane, "/api/overview"));
  });

  test("refuses to start with another database, and says why", async () => {
    const stranger = await servers.addStranger();
    const controlPlane = await startReading(stranger.url, { dontWait: true });
    expect(await controlPlane.process.ended).not.toBe(0);
    expect(controlPlane.process.output()).toMatch(
      /DATABASE_READ_URL: 127\.0\.0\.1:\d+ is another database cluster \(system identifier \d+, and the primary's is \d+\)/,
    );
    expect(await stranger.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});

function startReading(readUrl: string, options: { dontWait?: boolean } = {}): Promise<ControlPlane> {
  return stack.controlPlane({
    databaseUrl: servers.primary.url,
    environment: {
      DATABASE_READ_URL: readUrl,
      SVC_SECRET_KEY: SECRET_KEY,
      SVC_RATE_LIMIT_PER_MINUTE: "100000",
    },
    ...options,
  });
}

const authorized = ({ apiKey }: ControlPlane) => ({ headers: { authorization: `Bearer ${apiKey}` } });

/** Asks for a report; true when the standby answered. Rejects unless it was answered. */
async function comesFromStandby(controlPlane: ControlPlane, path: string): Promise<boolean> {
  const count = () => metric(controlPlane, 'svc_database_report_reads_total\\{server="standby"\\}');
  const before = await count();
  const { status } = await controlPlane.fetch(path, authorized(controlPlane));
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return ((await count()) || 0) > (before || 0);
}

async function metric(controlPlane: ControlPlane, name: string): Promise<number> {
  const text = await (await fetch(`${controlPlane.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
}
