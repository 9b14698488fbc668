import { expect, it } from "vitest";
import type { RunOptions } from "../../../test-support/run-svc.ts";
import { svcWith } from "../../../test-support/svc-with.ts";

const aLocation = (id: string, type: string, more = {}) => ({
  id,
  name: id.slice(4),
  displayName: id.slice(4),
  region: "private",
  type,
  status: "active",
  health: "active",
  lastHeartbeat: "2026-06-01T11:59:50.000Z",
  ...more,
});
const locations = [
  aLocation("loc_office", "private"),
  aLocation("loc_us_east", "hosted", { health: "offline" }),
];
const key = {
  id: "rkey_1",
  name: "rack-1",
  keyPrefix: "rk_01",
  lastUsedAt: null,
  createdAt: "2026-05-31T12:00:00.000Z",
};
const SECRET = `rk_${"0123456789abcdef".repeat(4)}`;
const answers = {
  "GET /api/locations": { locations },
  "GET /api/locations/loc_office/keys": { keys: [key] },
  "POST /api/locations/loc_office/keys": { key: { ...key, secret: SECRET } },
};
const svc = (args: string[], more = {}, options: RunOptions = {}) =>
  svcWith({ ...answers, ...more }, ["locations", ...args], options);

it("lists locations with the state of their agents", async () => {
  const { code, stdout } = await svc(["list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/loc_office +office +private +active +active +10s ago\n/);
  expect((await svc(["list", "--type", "hosted", "--json"])).json().data.locations).toEqual([locations[1]]);
});

it("creates and changes a private location", async () => {
  const created = { "POST /api/locations": { location: locations[0] } };
  expect((await svc(["create", "office", "--latitude", "-33.9"], created)).changes).toEqual([
    { route: "POST /api/locations", body: { name: "office", latitude: -33.9 } },
  ]);
  const route = "PUT /api/locations/loc_office";
  const changed = { [route]: { location: locations[0] } };
  const ran = await svc(["update", "office", "--name", "berlin", "--display-name", "Berlin"], changed);
  expect(ran.changes).toEqual([{ route, body: { name: "berlin", displayName: "Berlin" } }]);
  const cleared = await svc(["update", "office", "--latitude", "none", "--longitude", "7"], changed);
  expect(cleared.changes).toEqual([{ route, body: { latitude: null, longitude: 7 } }]);
  for (const [flag, isGuarded] of [
    ["--guard", true],
    ["--no-guard", false],
  ] as const) {
    expect((await svc(["update", "office", flag], changed)).changes).toEqual([
      { route, body: { isGuarded } },
    ]);
    expect((await svc(["create", "office", flag], created)).changes).toEqual([
      { route: "POST /api/locations", body: { name: "office", isGuarded } },
    ]);
  }
});

it("names the channels to notify, replaces them and takes them away", async () => {
  const channels = [{ id: "nch_1", name: "On call", type: "email" }];
  const route = "PUT /api/locations/loc_office";
  const more = {
    "GET /api/notification-channels": { channels },
    "POST /api/locations": { location: locations[0] },
    [route]: { location: locations[0] },
  };
  const changesOf = async (...args: string[]) => (await svc(args, more)).changes;
  expect(await changesOf("create", "office", "--channel", "On call")).toEqual([
    { route: "POST /api/locations", body: { name: "office", channelIds: ["nch_1"] } },
  ]);
  expect(await changesOf("update", "office", "--channel", "nch_1")).toEqual([
    { route, body: { channelIds: ["nch_1"] } },
  ]);
  expect(await changesOf("update", "office", "--channel", "none")).toEqual([
    { route, body: { channelIds: [] } },
  ]);
});

it.each([
  [["update", "office"], "nothing to change"],
  [["create", "attic", "--latitude", "none"], "from -90 to 90"],
  [["update", "office", "--longitude", "181"], "from -180 to 180"],
  [["update", "us_east", "--name", "x"], "is a hosted location"],
  [["delete", "us_east", "--yes"], "is a hosted location"],
  [["keys", "create", "us_east"], "is a hosted location"],
  [["install-command", "us_east"], "is a hosted location"],
  [["delete", "office"], "--yes"],
  [["keys", "delete", "office", "rack-1"], "--yes"],
  [["keys", "delete", "office", "rack-2", "--yes"], 'did you mean "rack-1"?'],
  [["install-command", "office", "--runner-url", "https://a/b"], "http(s)://host[:port]"],
  [["install-command", "office", "--runner-url", "https://a;rm"], "http(s)://host[:port]"],
])("%j is refused and changes nothing", async (args, message) => {
  const { code, stderr, changes } = await svc(args);
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("deletes with --yes, or when the person at the terminal says yes", async () => {
  const route = "DELETE /api/locations/loc_office";
  const gone = { [route]: { success: true } };
  const person = (answer: string) => svc(["delete", "office"], gone, { isTty: true, answer });
  expect((await svc(["delete", "office", "--yes"], gone)).changes).toEqual([route]);
  expect((await person("y")).changes).toEqual([route]);
  expect([(await person("")).code, (await person("no")).changes]).toEqual([1, []]);
});

it("a location in use is a conflict that says so", async () => {
  const conflict = () => ({ status: 409, body: { error: "2 checks run there" } });
  const ran = await svc(["delete", "office", "--yes"], { "DELETE /api/locations/loc_office": conflict });
  expect([ran.code, ran.stderr]).toEqual([1, "error: 2 checks run there\n"]);
});

it("a new key alone is on stdout, so that it can be piped", async () => {
  const { code, stdout, stderr, changes } = await svc(["keys", "create", "office", "--name", "rack-1"]);
  expect([code, stdout]).toEqual([0, `${SECRET}\n`]);
  expect(stderr).toContain("not shown again");
  expect(changes).toEqual([{ route: "POST /api/locations/loc_office/keys", body: { name: "rack-1" } }]);
});

it("lists and revokes keys, never with their secret", async () => {
  const { stdout } = await svc(["keys", "list", "office"]);
  expect(stdout).toMatch(/rack-1 +rk_01\.\.\. +- +1d ago +rkey_1/);
  const route = "DELETE /api/locations/loc_office/keys/rkey_1";
  const revoked = await svc(["keys", "delete", "office", "rack-1", "--yes"], { [route]: { success: true } });
  expect([revoked.code, revoked.changes]).toEqual([0, [route]]);
});

it("shows the agents of a location", async () => {
  const runner = {
    id: "run_1",
    hostname: "rack-1",
    version: "0.1.0",
    capabilities: ["http"],
    status: "online",
    lastHeartbeat: "2026-06-01T11:59:58.000Z",
    assignedChecks: 12,
    activeRuns: 1,
    backlog: 0,
    droppedResults: 0,
    latenessP99Ms: 4.2,
    loopBusyBasisPoints: 100,
    accepting: true,
  };
  const route = "GET /api/locations/loc_us_east/runners";
  const { stdout } = await svc(["runners", "us_east"], { [route]: { runners: [runner] } });
  expect(stdout).toMatch(/rack-1 +online +0.1.0 +2s ago +12 +1 +0 +4.2 ms +run_1/);
});

const PACKAGE = "/install/svc-runner-agent-1.2.3.tgz";

it.each([
  [
    "npx",
    [],
    `SVC_RUNNER_KEY=${SECRET} SVC_CONTROL_PLANE_URL=http://127.0.0.1:9081 npx --no-install svc-runner\n`,
  ],
  [
    "docker",
    ["--runner-url", "https://svc.example.com:9000/"],
    `-e SVC_RUNNER_KEY=${SECRET} -e SVC_CONTROL_PLANE_URL=https://svc.example.com:9000 svc-runner\n`,
  ],
  ["systemd", [], `SVC_RUNNER_KEY=${SECRET}\nSVC_CONTROL_PLANE_URL=http://127.0.0.1:9081\nEND\n`],
])("install-command for %s holds a new key and the agents' address", async (method, args, text) => {
  const meta = { "GET /api/meta": { runnerPort: 9081, agentPackage: null } };
  const ran = await svc(["install-command", "office", "--method", method, ...args], meta);
  expect([ran.code, ran.changes.length]).toEqual([0, 1]);
  expect(ran.stdout).toContain(text);
  expect(ran.stderr).toContain("the service offers no package");
});

it.each([
  ["npx", /npx --yes http:\/\/127\.0\.0\.1:\d+\/install\/svc-runner-agent-1\.2\.3\.tgz\n$/],
  [
    "docker",
    /node:24-bookworm-slim sh -c 'cd && .* npm install --prefix svc-runner-agent-1\.2\.3 --ignore-scripts http:\/\/127\.0\.0\.1:\d+\/install\/svc-runner-agent-1\.2\.3\.tgz\) && exec \S+'\n$/,
  ],
  [
    "systemd",
    /^npm install --global --ignore-scripts http:\/\/127\.0\.0\.1:\d+\/install\/svc-runner-agent-1\.2\.3\.tgz\n/,
  ],
])("install-command for %s installs the package that the service offers", async (method, text) => {
  const meta = { "GET /api/meta": { runnerPort: 8081, agentPackage: PACKAGE } };
  const { code, stdout, stderr } = await svc(["install-command", "office", "--method", method], meta);
  expect(code).toBe(0);
  expect(stdout).toMatch(text);
  expect(stderr).not.toContain("no package");
});
