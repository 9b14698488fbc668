/** Why nobody is notified of the alert of a check, at the head of the check's page. */
import { type AlertInstanceSummary, type HeldBack, newId, pagePath } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const ids = { alone: "", above: "", below: "" };
const incidentId = newId("incident");
const causeId = newId("alertInstance");

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  async prepare({ stack }) {
    const watch = (name: string, fields = {}) =>
      createHttpCheck(dashboard, stack.target.url, { name, enabled: false, ...fields });
    ids.alone = await watch("Alone");
    ids.above = await watch("Database");
    ids.below = await watch("Shop", { dependsOn: [ids.above] });
  },
});

const OF_LOCATION: HeldBack = {
  reason: "location",
  text: "held back: US East can't reach its targets",
  instanceId: null,
  checkId: null,
  checkName: null,
  locationId: "loc_us_east",
  incidentId,
} as HeldBack;
const OF_DEPENDENCY: HeldBack = {
  ...OF_LOCATION,
  reason: "dependency",
  text: "held back: depends on Database, which is failing",
  instanceId: causeId,
  locationId: null,
  incidentId: null,
};

/** Opens the page of a check whose newest alert is the given one. */
async function openCheck(
  checkId: string,
  alert: Pick<AlertInstanceSummary, "state"> & { heldBack: HeldBack },
) {
  const instance = {
    id: newId("alertInstance"),
    ruleId: newId("alertRule"),
    ruleName: "Down",
    checkId,
    checkName: "A check",
    severity: "critical",
    startedAt: new Date().toISOString(),
    acknowledgedAt: null,
    recoveredAt: null,
    resolvedAt: null,
    durationMs: null,
    notificationCount: 0,
    contextJson: {},
    muted: false,
    ...alert,
  };
  const page = await dashboard.browser.open();
  await page.route(/\/api\/alerts\/instances\?/, (route) =>
    route.fulfill({ json: { instances: [instance], limit: 100, offset: 0 } }),
  );
  await signIn(page, pagePath("check", { id: checkId }));
  return { facts: page.locator("p.facts"), page };
}

describe.runIf(hasBrowser)(`the head of a check whose alert is held back${BROWSER_ADVICE}`, () => {
  it.each(["active", "acknowledged"] as const)(
    "leads to the incident of the location, also without dependencies: %s",
    async (state) => {
      const { facts, page } = await openCheck(ids.alone, { state, heldBack: OF_LOCATION });
      const held = facts.filter({ hasText: "Held back: US East can't reach its targets" });
      await held.waitFor();
      expect(await held.getByRole("link").getAttribute("href")).toBe(
        pagePath("incident", { id: incidentId }),
      );
      expect(await facts.filter({ hasText: "Depends on" }).count()).toBe(0);
      await page.context().close();
    },
  );

  it.each([
    [OF_LOCATION, pagePath("incident", { id: incidentId })],
    [OF_DEPENDENCY, pagePath("alert", { id: causeId })],
  ])("says why apart from what the check depends on: %#", async (heldBack, path) => {
    const { facts, page } = await openCheck(ids.below, { state: "active", heldBack });
    const held = facts.filter({ hasText: "Held back: " });
    await held.waitFor();
    expect(await held.getByRole("link").getAttribute("href")).toBe(path);
    const above = facts.filter({ hasText: "Depends on" }).filter({ hasNotText: "Held back" });
    // Until the list of checks is there, a link has the id in place of the name.
    await above.getByRole("link", { name: "Database" }).waitFor();
    expect(await above.getByRole("link").allTextContents()).toEqual(["Database"]);
    await page.context().close();
  });
});
