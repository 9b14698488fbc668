/** A third party that begins to fail, seen by a real browser: the SLO over its host, described as code, tells and fires. */
import type { IncidentWebhookBody, Slo, SloStatus } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { createLocation } from "../harness/fleet.ts";
import { temporaryFolder } from "../harness/folders.ts";
import type { RunningProcess } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { startRunner } from "../harness/runner.ts";
import { type Site, startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
let site: Site;
let receiver: Receiver<IncidentWebhookBody>;
let runner: RunningProcess;
let isBroken = false;
const data = temporaryFolder();

beforeAll(async () => {
  if (!hasBrowser) return;
  stage = await setCliStage();
  receiver = await startReceiver();
  site = await startSite((request, response) => {
    if (request.url === "/lib.js") {
      response
        .writeHead(isBroken ? 503 : 200, { "content-type": "text/javascript" })
        .end("// from elsewhere\n");
      return;
    }
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><title>Shop</title><script src="http://localhost:${site.port}/lib.js"></script>`,
    );
  });
  const { locationId, runnerKey } = await createLocation(stage.controlPlane, "browser");
  runner = startRunner({ key: runnerKey, port: stage.controlPlane.runnerPort, dataDir: data.path });
  await stage.controlPlane.ok("POST", "/api/checks", {
    name: "Shop",
    type: "browser",
    frequencySeconds: 10,
    locations: [locationId],
    browserConfig: { browserMode: "url", url: site.url },
  });
  stage.write(
    "svc.config.yaml",
    `
project: shop
alertChannels:
  people: { type: webhook, url: "${receiver.url}" }
thirdPartyPatterns:
  - { name: CDN, hostPattern: localhost }
slos:
  - { name: CDN is up, pattern: CDN, target: 99.9%, window: 7d, channels: ["@people"] }
`,
  );
});

afterAll(async () => {
  if (!hasBrowser) return;
  await runner.stop();
  await stage.strike();
  receiver.close();
  site.close();
  data.remove();
});

async function statusOf({ id }: Slo): Promise<SloStatus> {
  return (await stage.controlPlane.ok<{ state: SloStatus }>("GET", `/api/slos/${id}/status`)).state;
}

describe.runIf(hasBrowser)(`an SLO over a third party's host${BROWSER_ADVICE}`, () => {
  it("counts the requests of browser runs, burns while the host answers 503, and its alert is notified", async () => {
    const deployed = await stage.json(["deploy"]);
    expect(deployed, JSON.stringify(deployed)).toMatchObject({ code: 0, data: { applied: 3 } });
    const { slos } = await stage.controlPlane.ok<{ slos: [Slo] }>("GET", "/api/slos");
    const [slo] = slos;
    const good = await until(
      "requests were counted",
      async () => {
        const status = await statusOf(slo);
        return status.totalCount > 0 ? status : undefined;
      },
      { withinMs: 60_000 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}; the agent printed:\n${runner.output()}`);
    });
    expect(good).toMatchObject({ availability: 1, burnRate1h: 0, successCount: good.totalCount });
    expect(receiver.bodies).toEqual([]);

    isBroken = true;
    const burning = await until(
      "the budget burns",
      async () => {
        const status = await statusOf(slo);
        return (status.burnRate1h ?? 0) > 14.4 ? status : undefined;
      },
      { withinMs: 60_000 },
    );
    expect(burning.totalCount - burning.successCount).toBeGreaterThan(0);
    const notified = await until("the alert is notified", () => receiver.bodies[0], { withinMs: 60_000 });
    expect(JSON.stringify(notified)).toContain("CDN is up");
    const { instances } = await stage.controlPlane.ok<{
      instances: { ruleName: string; checkId: string | null }[];
    }>("GET", "/api/alerts/instances?state=active");
    expect(instances).toContainEqual(
      expect.objectContaining({ ruleName: expect.stringContaining("CDN is up"), checkId: null }),
    );
    expect((await stage.run(["slos", "list"])).stdout).toMatch(/CDN is up +CDN/);
  });
});
