/**
 * This release beside the one before it: control planes, agents and command lines of both, in all pairs, over the real protocol. The
 * release before is built from its tag, and the tests say so where the tag is absent.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAnswer } from "../../control-plane/test-support/api-document.ts";
import { svc } from "../harness/cli.ts";
import { type ControlPlane, newApiKey, ROOT } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { buildRelease, type PreviousRelease, previousReleaseTag } from "../harness/previous-release.ts";
import type { RunningProcess } from "../harness/process.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

/** Checks of the upgrade under load, each with a run in 10 s: 3,000 make 300 runs a second, which takes a machine of its own. */
const UPGRADED_CHECKS = Number(process.env.SVC_UPGRADE_CHECKS ?? 200);
const tag = previousReleaseTag();
const title = tag
  ? `beside the release ${tag}`
  : "beside the release before (skipped: no tag v* lies before this commit)";

const NO_FAULT = { missing: [], doubled: [], offGrid: [], unsuccessful: [] };

describe.skipIf(!tag)(title, () => {
  const stack = setUpTestStack();
  let before: PreviousRelease | undefined;
  beforeAll(() => {
    before = buildRelease(tag ?? "");
  }, 300_000);
  afterAll(() => before?.remove());

  /** Checkouts by what they are, and the comparison of answers with the document, which describes this release's alone. */
  const releases = () => ({ this: ROOT, previous: before?.root ?? "" });
  const controlPlaneOf = (release: "this" | "previous") => ({
    root: releases()[release],
    onAnswer: release === "this" ? checkAnswer : async () => undefined,
  });

  it.each(["this", "previous"] as const)(
    "agents and command lines of both work with %s control plane",
    async (release) => {
      const controlPlane = await stack.controlPlane(controlPlaneOf(release));
      const { locationId, runnerKey } = await createLocation(controlPlane, "both");
      for (const root of Object.values(releases()))
        stack.runner({ root, key: runnerKey, port: controlPlane.runnerPort });
      const checks = await createChecks(controlPlane, { count: 40, locationId, url: stack.target.url });
      await untilAllHaveResults(controlPlane, checks);
      await untilShared(controlPlane, locationId);
      const fromMs = Date.now();

      const [first, second] = [releases().this, releases().previous];
      for (const [deployer, reader] of [
        [first, second],
        [second, first],
      ] as const) {
        const cwd = stack.folder();
        const frequency = deployer === first ? "30s" : "60s";
        writeFileSync(
          join(cwd, "svc.config.yaml"),
          `project: shared\nmonitors:\n  - { name: page, type: http, url: "${stack.target.url}/page", locations: [${locationId}], frequency: ${frequency} }\n`,
        );
        const env = { SVC_API_URL: controlPlane.url, SVC_API_KEY: controlPlane.apiKey };
        const deployed = await svc(["deploy", "--force", "--json"], { root: deployer, cwd, env });
        expect(deployed, deployed.stdout + deployed.stderr).toMatchObject({ code: 0 });
        const plan = await svc(["diff", "--json"], { root: reader, cwd, env });
        expect(JSON.parse(plan.stdout).data.summary).toEqual({
          create: 0,
          update: 0,
          delete: 0,
          unchanged: 1,
        });
      }

      await delay(15_000);
      const { expected, ...audit } = await auditOnceComplete(controlPlane, checks, {
        fromMs,
        toMs: Date.now(),
      });
      expect(expected).toBeGreaterThan(checks.length);
      expect(audit).toEqual(NO_FAULT);
    },
  );

  it(
    "is upgraded and taken back piece by piece under load, and loses no slot and raises no alert",
    async () => {
      const { url: databaseUrl } = await stack.database({ template: false });
      const apiKey = newApiKey();
      // Making and auditing the checks takes more requests than a client has in a minute.
      const environment = { SVC_RATE_LIMIT_PER_MINUTE: "1000000" };
      const start = () =>
        stack.controlPlane({ ...controlPlaneOf("previous"), databaseUrl, apiKey, environment });
      const first = await start();
      const second = await start();
      const { locationId, runnerKey } = await createLocation(first, "upgraded");
      const agents = [first, second].map(({ runnerPort: port }) => {
        const dataDir = stack.folder();
        const startAgent = (root: string) => stack.runner({ root, key: runnerKey, port, dataDir });
        return { startAgent, process: startAgent(releases().previous) };
      });
      const checks = await createChecks(first, { count: UPGRADED_CHECKS, locationId, url: stack.target.url });
      const { channel } = await first.ok<{ channel: { id: string } }>("POST", "/api/notification-channels", {
        name: "people",
        channel: { type: "webhook", url: `${stack.target.url}/notified` },
      });
      for (const { id } of checks)
        await first.ok("POST", `/api/checks/${id}/alerts`, {
          conditions: [{ type: "consecutive_failures", count: 1 }],
          channelIds: [channel.id],
        });
      await untilAllHaveResults(first, checks);
      await untilShared(first, locationId);
      const fromMs = Date.now();

      for (const root of [releases().this, releases().previous]) {
        const isUpgrade = root === releases().this;
        const replicas = [first, second];
        const steps = [
          ...replicas.map((replica) => () => replaceReplica(replica, root)),
          ...agents.map((agent) => () => replaceAgent(agent, root)),
        ];
        for (const step of isUpgrade ? steps : steps.reverse()) {
          await step();
          await untilShared(first, locationId);
        }
      }

      const { expected, ...audit } = await auditOnceComplete(first, checks, { fromMs, toMs: Date.now() });
      expect(expected).toBeGreaterThan(checks.length);
      expect(audit).toEqual(NO_FAULT);
      expect(await first.ok("GET", "/api/alerts/instances")).toMatchObject({ instances: [] });
      expect(stack.target.hits.get("/notified")).toBeUndefined();
    },
    Math.max(400_000, UPGRADED_CHECKS * 400),
  );
});

async function replaceReplica(replica: ControlPlane, root: string): Promise<void> {
  expect(await replica.process.stop()).toBe(0);
  await replica.restart(root);
}

async function replaceAgent(
  agent: { startAgent: (root: string) => RunningProcess; process: RunningProcess },
  root: string,
): Promise<void> {
  expect(await agent.process.stop(40_000)).toBe(0);
  agent.process = agent.startAgent(root);
  await until("the agent is connected", () =>
    agent.process.output().includes("connected to the control plane"),
  );
}

/** Resolves once both agents hold checks. */
async function untilShared(controlPlane: ControlPlane, locationId: string): Promise<void> {
  await until("both agents hold checks", async () => {
    const { runners } = await controlPlane.ok<{ runners: { assignedChecks: number }[] }>(
      "GET",
      `/api/locations/${locationId}/runners`,
    );
    return runners.filter(({ assignedChecks }) => assignedChecks > 5).length === 2;
  });
}
