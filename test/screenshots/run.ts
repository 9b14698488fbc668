/**
 * `npm run screenshots [-- folder]`: the pictures in README and docs, of a service that watches a made-up shop whose checkout breaks.
 * With a folder, all pages at all sizes are written there instead, to look at.
 */
import { join } from "node:path";
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { openBenchDatabase } from "../bench/bench-database.ts";
import { type ControlPlane, ROOT, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { startReceiver } from "../harness/receiver.ts";
import { until } from "../harness/wait.ts";
import { captureShots, type Shot } from "./capture.ts";
import { fillPast } from "./history.ts";
import { openShop, SHOP_CHECKS, type Shop } from "./shop.ts";

const [givenFolder] = process.argv.slice(2);
const folder = temporaryFolder();
const shop = await openShop();
const receiver = await startReceiver();
const controlPlane = await startControlPlane({
  dataDir: folder.path,
  environment: { SVC_EMBEDDED_RUNNER: "true" },
});
try {
  const checkIds = await watchShop(controlPlane, shop, receiver.url);
  const database = await openBenchDatabase(folder.path);
  await fillPast(database, Date.now());
  await database.close();
  const incidentId = await breakShop(controlPlane, shop);
  const checkId = checkIds.get("Checkout") as string;
  const { results } = await controlPlane.ok<{ results: { id: string }[] }>(
    "GET",
    `/api/checks/${checkId}/results?status=failure&limit=1`,
  );
  const shots: Shot[] = [
    {
      name: "overview",
      path: "/",
      isReady: (page) =>
        page.getByRole("region", { name: "Failing now" }).getByRole("link", { name: "Checkout" }).waitFor(),
    },
    {
      name: "check",
      path: pagePath("check", { id: checkId }),
      isReady: (page) =>
        page.getByRole("figure", { name: "Response time" }).locator("canvas").first().waitFor(),
    },
    {
      name: "result",
      path: pagePath("result", { id: checkId, resultId: results[0]?.id as string }),
      isReady: (page) => page.getByRole("figure", { name: "Timing" }).waitFor(),
    },
    {
      name: "incident",
      path: pagePath("incident", { id: incidentId }),
      isReady: (page) => page.getByRole("feed", { name: "Timeline" }).waitFor(),
    },
    {
      name: "wall",
      path: pagePath("wall", {}),
      isReady: (page) => page.getByRole("listitem").first().waitFor(),
    },
  ];
  const heading = (page: Page) => page.getByRole("heading", { level: 1 }).waitFor();
  const { slos } = await controlPlane.ok<{ slos: { id: string }[] }>("GET", "/api/slos");
  const { instances } = await controlPlane.ok<{ instances: { id: string }[] }>(
    "GET",
    "/api/alerts/instances?limit=1",
  );
  const table = (name: string) => (page: Page) => page.getByRole("table", { name }).waitFor();
  const otherShots: Shot[] = [
    {
      name: "checks",
      path: pagePath("checks", {}),
      isReady: (page) => page.locator("svg.strip rect").first().waitFor(),
    },
    { name: "incidents", path: pagePath("incidents", {}), isReady: table("Incidents") },
    { name: "alerts", path: pagePath("alerts", {}), isReady: table("Alerts") },
    {
      name: "alert",
      path: pagePath("alert", { id: instances[0]?.id as string }),
      isReady: (page) => page.getByRole("region", { name: "Why it fired" }).waitFor(),
    },
    { name: "deployments", path: pagePath("deployments", {}), isReady: table("Deployments") },
    { name: "changes", path: pagePath("changes", {}), isReady: table("Changes") },
    { name: "slos", path: pagePath("slos", {}), isReady: heading },
    {
      name: "slo",
      path: pagePath("slo", { id: slos[0]?.id as string }),
      isReady: (page) =>
        page.getByRole("figure", { name: "Error budget left over the window" }).locator("svg").waitFor(),
    },
    { name: "certificates", path: pagePath("certificates", {}), isReady: heading },
    { name: "locations", path: pagePath("locations", {}), isReady: heading },
    { name: "channels", path: pagePath("channels", {}), isReady: heading },
    { name: "maintenance", path: pagePath("maintenance", {}), isReady: heading },
  ];
  if (givenFolder !== undefined) shots.push(...otherShots);
  await captureShots(controlPlane.url, shots, {
    folder: givenFolder ?? join(ROOT, "docs/images"),
    allSizes: givenFolder !== undefined,
  });
} finally {
  await controlPlane.process.stop();
  await shop.close();
  await receiver.close();
  folder.remove();
}

/** Makes the shop's checks with a rule each, an SLO, and a channel. Returns the ids of the checks by name. */
async function watchShop(
  { ok }: ControlPlane,
  { url }: Shop,
  channelUrl: string,
): Promise<Map<string, string>> {
  const { locations } = await ok<{ locations: { id: string }[] }>("GET", "/api/locations");
  const { channel } = await ok<{ channel: { id: string } }>("POST", "/api/notification-channels", {
    name: "On call",
    channel: { type: "webhook", url: channelUrl },
  });
  const ids = new Map<string, string>();
  for (const { name, path, team, frequencySeconds } of SHOP_CHECKS) {
    const { check } = await ok<{ check: { id: string } }>("POST", "/api/checks", {
      name,
      type: "http",
      frequencySeconds,
      locations: locations.slice(0, 3).map(({ id }) => id),
      httpConfig: { url: url + path, assertions: [{ type: "status_code", value: 200 }] },
    });
    ids.set(name, check.id);
    await ok("PUT", `/api/checks/${check.id}/labels`, { labels: [`team:${team}`] });
    await ok("POST", `/api/checks/${check.id}/alerts`, {
      name: `${name} fails`,
      conditions: [{ type: "consecutive_failures", count: 2 }],
      channelIds: [channel.id],
    });
  }
  await ok("POST", "/api/slos", {
    name: "Checkout works",
    checkId: ids.get("Checkout"),
    targetBasisPoints: 9_950,
    windowDays: 30,
  });
  return ids;
}

/** Reports a deployment and breaks the checkout; returns the id of the incident that holds the alerts of both checks. */
async function breakShop({ ok }: ControlPlane, shopToBreak: Shop): Promise<string> {
  await ok("POST", "/api/events/deployments", {
    service: "checkout",
    version: "4.18.0",
    environment: "production",
    commit_message: "Use the new payment provider",
    deployed_by: "ada",
  });
  shopToBreak.breakCheckout();
  interface Triage {
    incident: { id: string };
    alerts: unknown[];
  }
  let id = "";
  await until(
    "an incident holds the alerts of both checks",
    async () => {
      const { incidents } = await ok<{ incidents: { id: string }[] }>("GET", "/api/incidents?state=open");
      for (const incident of incidents) {
        const triage = await ok<Triage>("GET", `/api/incidents/${incident.id}`);
        if (triage.alerts.length > 1) id = triage.incident.id;
      }
      return id !== "";
    },
    { withinMs: 180_000 },
  );
  return id;
}
