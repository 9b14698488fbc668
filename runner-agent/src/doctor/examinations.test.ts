import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { type AreaFinding, examineAll } from "@svc/contract";
import { capabilitiesWith } from "@svc/probes";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FakeControlPlane, type FakeControlPlaneOptions } from "../../test-support/fake-control-plane.ts";
import { abilitiesText } from "../agent/abilities.ts";
import { parseConfig } from "../base/config.ts";
import { thisMachine } from "../base/machine.ts";
import { AGENT_EXAMINATIONS, agentPatient } from "./examinations.ts";

const KEY = `rk_${"d".repeat(64)}`;

let folder: string;
const planes: FakeControlPlane[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-agent-doctor-"));
});
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.stop();
  rmSync(folder, { recursive: true });
});

async function aControlPlane(options: FakeControlPlaneOptions = {}): Promise<FakeControlPlane> {
  const plane = await FakeControlPlane.start(options);
  planes.push(plane);
  return plane;
}

/** Returns the findings of one area. */
async function findings(
  area: string,
  {
    url,
    wallMs = thisMachine.wallMs,
    ...environment
  }: { url: string; wallMs?: () => number } & Record<string, unknown>,
): Promise<AreaFinding[]> {
  const config = parseConfig({
    SVC_RUNNER_KEY: KEY,
    SVC_CONTROL_PLANE_URL: url,
    SVC_RUNNER_DATA_DIR: join(folder, "data"),
    ...(environment as Record<string, string>),
  });
  return examineAll(
    AGENT_EXAMINATIONS.filter((one) => one.area === area),
    { subject: agentPatient(config, { ...thisMachine, wallMs }), timeLimitMs: 60_000 },
  );
}

it("finds a control plane that takes the key, opens no session there, and makes no data folder", async () => {
  const keys: string[] = [];
  const plane = await aControlPlane({ onGetApiSpec: (authorization) => keys.push(authorization) });
  expect(await findings("connection", { url: plane.url })).toEqual([
    { area: "connection", level: "ok", message: expect.stringContaining("takes the runner key") },
  ]);
  expect(keys).toEqual([`Bearer ${KEY}`]);
  expect(plane.streams).toEqual([]);
  const [disk] = await findings("disk", { url: plane.url });
  expect(disk?.level).toBe("ok");
  expect(existsSync(join(folder, "data"))).toBe(false);
});

it("finds a key that is refused, without showing it", async () => {
  const plane = await aControlPlane({
    onGetApiSpec: () => {
      throw new ConnectError("unknown runner key", Code.Unauthenticated);
    },
  });
  const [finding] = await findings("connection", { url: plane.url });
  expect(finding).toMatchObject({ level: "problem", remedy: expect.stringContaining("SVC_RUNNER_KEY") });
  expect(JSON.stringify(finding)).not.toContain(KEY);
});

it("finds a certificate that nobody vouches for, and a control plane that is away", async () => {
  const plane = await aControlPlane({ isSecure: true });
  const [untrusted] = await findings("connection", { url: plane.url });
  expect(untrusted).toMatchObject({
    level: "problem",
    remedy: expect.stringContaining("SVC_RUNNER_CA_FILE"),
  });
  const { url } = plane;
  await plane.stop();
  planes.splice(0);
  const [away] = await findings("connection", { url });
  expect(away).toMatchObject({ level: "problem", remedy: expect.stringContaining("SVC_CONTROL_PLANE_URL") });
  expect((await findings("clock", { url })).map(({ level }) => level)).toEqual(["skipped"]);
});

it("compares the clocks", async () => {
  const { url } = await aControlPlane();
  expect((await findings("clock", { url }))[0]?.level).toBe("ok");
  const wallMs = () => thisMachine.wallMs() - 120_000;
  const [behind] = await findings("clock", { url, wallMs });
  expect(behind).toMatchObject({ level: "warning", message: expect.stringMatching(/1(19|20)\.\d s behind/) });
});

it("says whether the programs of the system are there that some check types need", async () => {
  const found = await findings("programs", { url: "http://127.0.0.1:1" });
  const [level, message] = (await capabilitiesWith({})).missing.some(({ type }) => type === "ping")
    ? ["warning", "no ping checks are run here"]
    : ["ok", "such as ping, are run"];
  expect(found).toEqual([expect.objectContaining({ level, message: expect.stringContaining(message) })]);
});

it("tells the policy for private addresses, and the switched off browser", async () => {
  const url = "http://127.0.0.1:1";
  const policy = async (environment: Record<string, string>) =>
    (await findings("network", { url, ...environment })).at(-1)?.message;
  expect(await policy({ SVC_EGRESS_PRIVATE: "deny" })).toContain("may not reach");
  expect(await policy({ SVC_EGRESS_PRIVATE: "allow" })).toContain("may reach");
  expect(await policy({})).toContain("if the key is of a private location");
  const off = await findings("browser", { url, SVC_BROWSER_MEMORY_BYTES: "off" });
  expect(off.map(({ level }) => level)).toEqual(["skipped"]);
});

it("says what is missing where no browser can be run", async () => {
  const [none] = await findings("browser", {
    url: "http://127.0.0.1:1",
    SVC_BROWSER_PATH: join(folder, "none"),
  });
  expect(none).toMatchObject({ level: "warning", message: expect.stringContaining("no browser checks") });
});

it.each([
  [true, true, "runs http and mcp checks, of targets with IPv4 and IPv6 addresses"],
  [true, false, "runs http and mcp checks, of targets with IPv4 addresses only: there is no route for IPv6"],
  [false, true, "runs http and mcp checks, of targets with IPv6 addresses only: there is no route for IPv4"],
  [
    false,
    false,
    "runs http and mcp checks, of targets on this machine and its networks only: it has no route beyond",
  ],
])("says what an agent can do with IPv4 %s and IPv6 %s", (hasIpv4, hasIpv6, text) => {
  expect(abilitiesText({ capabilities: ["http", "mcp"], hasIpv4, hasIpv6 })).toBe(text);
});
