import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../harness/wait.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage({ SVC_EMBEDDED_RUNNER: "true" });
  const location = ["--frequency", "10s", "--locations", "loc_us_east"];
  for (const [name, url] of [
    ["Home", `${stage.controlPlane.url}/healthz`],
    ["Broken", "http://127.0.0.1:9/"],
  ] as const)
    await stage.json(["monitors", "create", "--name", name, "--type", "http", "--url", url, ...location]);
});
afterAll(() => stage.strike(), 60_000);

/** Resolves when each monitor has its first result. */
async function untilMeasured() {
  await until("both monitors have a result", async () => {
    const { data } = await stage.json(["status"]);
    return data.summary.unknown === 0;
  });
}

test("status finds the unhealthy monitor, and results show why", async () => {
  await untilMeasured();
  const status = await stage.json(["status"]);
  expect([status.code, status.ok, status.data.summary]).toEqual([
    10,
    true,
    { total: 2, healthy: 1, unhealthy: 1, unknown: 0, paused: 0 },
  ]);
  const { data } = await stage.json(["results", "list", "Broken", "--since", "1h"]);
  const shown = await stage.run(["results", "get", "broken", data.results[0].id]);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("connection refused")]);
  const log = await stage.json(["log", "--type", "check", "--source", "api", "--name", "rok"]);
  expect(log.data.changes).toMatchObject([{ action: "created", name: "Broken" }]);
});

test("tail and status --watch stream one object per line, and Ctrl+C ends them", async () => {
  const endAtLine = (output: string, kill: (signal: NodeJS.Signals) => void) => {
    if (/^\{.*\}$/m.test(output)) kill("SIGINT");
  };
  const tail = await stage.run(["results", "tail", "Home", "--json"], { onOutput: endAtLine });
  expect([tail.code, JSON.parse(tail.stdout.split("\n")[0] ?? "").status]).toEqual([0, "success"]);
  const watch = await stage.run(["status", "--watch", "--interval", "5s", "--json"], { onOutput: endAtLine });
  expect([watch.code, JSON.parse(watch.stdout).summary.total]).toEqual([10, 2]);
});

test("a location is made, gets an agent's command, and goes again", async () => {
  const created = await stage.json(["locations", "create", "office", "--latitude", "52.5"]);
  const install = await stage.run(["locations", "install-command", "office", "--key-name", "rack"]);
  expect(install.stdout).toMatch(
    /^SVC_RUNNER_KEY=rk_[0-9a-f]{64} SVC_CONTROL_PLANE_URL=http:\S+ npx (--no-install svc-runner|--yes http:\S+\.tgz)\n$/,
  );
  expect((await stage.json(["locations", "keys", "list", "office"])).data.keys).toMatchObject([
    { name: "rack" },
  ]);
  expect((await stage.json(["locations", "runners", "office"])).data.runners).toEqual([]);
  expect((await stage.json(["locations", "update", "office", "--name", "hq"])).data.location.name).toBe("hq");
  expect((await stage.run(["locations", "delete", "hq"])).code).toBe(1);
  const deleted = await stage.json(["locations", "delete", "hq", "--yes"]);
  expect(deleted).toMatchObject({ code: 0, data: { deleted: true, id: created.data.location.id } });
});

test("an alert fires, is acknowledged, muted and resolved; its channel, SLO and window are seen", async () => {
  const { controlPlane } = stage;
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    {
      name: "Hook",
      channel: { type: "webhook", url: `${controlPlane.url}/healthz?token=s3cr3t`, method: "POST" },
    },
  );
  const { id: checkId } = (await stage.json(["monitors", "get", "Broken"])).data.monitor;
  await controlPlane.ok("POST", `/api/checks/${checkId}/alerts`, {
    name: "Down",
    channelIds: [channel.id],
    conditions: [{ type: "consecutive_failures", count: 1 }],
  });
  await controlPlane.ok("POST", "/api/slos", {
    name: "Up",
    checkId,
    targetBasisPoints: 9_900,
    windowDays: 7,
    channelIds: [channel.id],
  });
  expect((await stage.json(["alerts", "rules", "get", "down"])).data.rule.checkName).toBe("Broken");
  expect((await stage.json(["slos", "status", "up"])).data.status.targetBasisPoints).toBe(9_900);
  const channels = await stage.run(["channels", "list", "--json"]);
  expect([channels.code, channels.stdout.includes("s3cr3t")]).toEqual([0, false]);

  await until("the alert is open", async () => {
    const { data } = await stage.json(["alerts", "list", "--monitor", "Broken"]);
    return data.alerts.some(({ ruleName }: { ruleName: string }) => ruleName === "Down");
  });
  const [alert] = (await stage.json(["alerts", "list"])).data.alerts.filter(
    ({ ruleName }: { ruleName: string }) => ruleName === "Down",
  );
  for (const args of [["ack"], ["mute", "--for", "1h"], ["unmute"], ["resolve"]])
    expect([args, (await stage.run(["alerts", args[0] ?? "", alert.id, ...args.slice(1)])).code]).toEqual([
      args,
      0,
    ]);
  expect((await stage.run(["alerts", "ack", alert.id])).code).toBe(1);
  const { data } = await stage.json(["alerts", "get", alert.id]);
  const types = data.events.map(({ type }: { type: string }) => type);
  expect(types).toEqual(
    expect.arrayContaining(["triggered", "acknowledged", "muted", "unmuted", "resolved"]),
  );
  expect((await stage.run(["channels", "deliveries", "Hook"])).code).toBe(0);
  expect((await stage.run(["incidents", "list", "--state", "open,resolved"])).code).toBe(0);

  const window = await stage.json(["maintenance", "create", "Work", "--monitor", "Home", "--for", "1h"]);
  expect(window.data.maintenanceWindow.active).toBe(true);
  expect((await stage.run(["maintenance", "delete", "work", "--yes"])).code).toBe(0);
});

test.each([
  ["a proxy's page", 200, "text/html", "<html>Sign in</html>", 1, "not an answer of the svc API"],
  ["a gateway's error page", 502, "text/html", "<html>", 1, "answered 502"],
  ["401", 401, "application/json", '{"error":"Unauthorized"}', 2, "svc login"],
  ["403 for a plan", 403, "application/json", '{"error":"Plan limit"}', 3, "Plan limit"],
  ["409", 409, "application/json", '{"error":"In use"}', 1, "In use"],
  ["429", 429, "application/json", '{"error":"Too many requests"}', 1, "try again in 7 s"],
  ["500", 500, "application/json", '{"error":"Internal error"}', 1, "the service failed (500)"],
])("%s is named for what it is", async (_title, status, type, body, code, message) => {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": type, "retry-after": "7" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const env = { SVC_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  try {
    const ran = await stage.run(["locations", "list"], { env });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, "", expect.stringContaining(message)]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
