/** The dashboard as somebody sees it who may look at everything and change nothing. */
import { pages } from "@svc/contract";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import {
  createFirstFailureRule,
  createHttpCheck,
  createWebhook,
  runUntil,
  setUpDashboardTests,
} from "../harness/dashboard-tests.ts";
import { until } from "../harness/wait.ts";

/** Paths of the pages of single records. */
const recordPaths: string[] = [];
const dashboard = setUpDashboardTests({
  withDatabase: true,
  async prepare({ stack }) {
    stack.target.answerWith(500);
    const make = async (path: string, body: object) =>
      Object.values(await dashboard.controlPlane.ok<Record<string, { id: string }>>("POST", path, body))[0]
        ?.id;
    const idsAt = async (path: string) =>
      (
        Object.values(await dashboard.controlPlane.ok("GET", path)).find(Array.isArray) as { id: string }[]
      ).map(({ id }) => id);
    const channelId = await createWebhook(dashboard, "http://127.0.0.1:9/hook");
    const checkId = await createHttpCheck(dashboard, stack.target.url, {
      name: "Shop",
      frequencySeconds: 3600,
    });
    await createFirstFailureRule(dashboard, { checkId, channelId });
    const resultId = await runUntil(dashboard, checkId, "failure");
    const [alertId] = await until("an alert", async () => {
      const ids = await idsAt("/api/alerts/instances");
      return ids.length > 0 ? ids : undefined;
    });
    const [incidentId] = await until("an incident", async () => {
      const ids = await idsAt("/api/incidents");
      return ids.length > 0 ? ids : undefined;
    });
    const [ruleId] = await idsAt("/api/alerts");
    const sloId = await make("/api/slos", {
      name: "Up",
      checkId,
      targetBasisPoints: 9900,
      windowDays: 30,
      burnRateAlertsEnabled: false,
    });
    const windowId = await make("/api/maintenance-windows", {
      name: "Night",
      startsAt: "2030-01-01T00:00:00.000Z",
      endsAt: "2030-01-01T01:00:00.000Z",
      checkIds: "all",
    });
    const locationId = await make("/api/locations", { name: "office" });
    const secretId = await make("/api/secrets", { name: "TOKEN", value: "hush" });
    const specId = await make("/api/specs", {
      sourceType: "upload",
      content: '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{}}',
    });
    recordPaths.push(
      ...["", "/edit", `/results/${resultId}`].map((rest) => `/checks/${checkId}${rest}`),
      `/alerts/${alertId}`,
      `/incidents/${incidentId}`,
      `/rules/${ruleId}`,
      ...["", "/edit"].flatMap((rest) => [
        `/slos/${sloId}${rest}`,
        `/channels/${channelId}${rest}`,
        `/locations/${locationId}${rest}`,
      ]),
      `/maintenance/${windowId}`,
      `/settings/secrets/${secretId}`,
      ...["", "/generate"].map((rest) => `/specs/${specId}${rest}`),
    );
  },
});

/** Names of controls that the service would refuse. */
const REFUSED =
  /^(Save|Delete|New |Edit|Add |Run now|Pause$|Resume|Acknowledge|Resolve|Mute|Unmute|Close incident|Reopen|Test run|Send|Redeliver|Create|Revoke|Invite|Remove|Analyze|Generate|Fetch again|Replace)/;

describe.runIf(hasBrowser)(`a viewer${BROWSER_ADVICE}`, () => {
  it("sees no control on any page that would be refused", async () => {
    const database = new pg.Client({ connectionString: dashboard.databaseUrl });
    await database.connect();
    await database.query("UPDATE memberships SET role = 'viewer'");
    await database.end();
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page);
    const paths = Object.values(pages)
      .map(({ path }) => path)
      .filter((path) => !path.includes(":") && path !== pages.signIn.path && path !== pages.profile.path);
    for (const path of [...paths, ...recordPaths]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
      const names = await page.evaluate<string[]>(`
        [...document.querySelectorAll("main :is(button, a.button, input, select, textarea)")].map(
          (one) => one.labels?.[0]?.textContent ?? one.getAttribute("aria-label") ?? one.textContent ?? "")`);
      expect([path, names.filter((name) => REFUSED.test(name.trim()))]).toEqual([path, []]);
    }
    await page.context().close();
  });
});
