/** From an alert to its end in the dashboard: why it fired, who was notified, the incident with all that is known, and notes. */
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { OWNER, signIn } from "../harness/dashboard.ts";
import {
  createFirstFailureRule,
  createHttpCheck,
  createWebhook,
  setUpDashboardTests,
} from "../harness/dashboard-tests.ts";
import { layoutShifts, watchLayoutShifts } from "../harness/layout-shifts.ts";
import { startReceiver } from "../harness/receiver.ts";
import { until } from "../harness/wait.ts";

interface AlertInList {
  id: string;
  checkName: string;
  state: string;
}
interface IncidentInList {
  id: string;
  state: string;
  triageUrl: string;
  memberCount: number;
  hypothesis: { summary: string; confidence: number };
}

let incident: IncidentInList;
let cart: AlertInList;

const alerts = async () =>
  (await dashboard.controlPlane.ok<{ instances: AlertInList[] }>("GET", "/api/alerts/instances")).instances;
const stateOf = async (id: string) => (await alerts()).find((one) => one.id === id)?.state;

const dashboard = setUpDashboardTests({
  refusals: [409],
  async prepare({ stack, controlPlane }) {
    const receiver = await startReceiver();
    stack.atEnd(() => receiver.close());
    const channelId = await createWebhook(dashboard, receiver.url);
    await controlPlane.ok("POST", "/api/events/deployments", { service: "shop", version: "1.2.3" });
    stack.target.answerWith(500);
    for (const name of ["Cart", "Pay"]) {
      const checkId = await createHttpCheck(dashboard, `${stack.target.url}/${name}`, {
        name,
        locations: ["loc_us_east", "loc_us_west"],
      });
      await createFirstFailureRule(dashboard, { checkId, channelId });
    }
    incident = await until(
      "an incident holds the alerts of both checks",
      async () => {
        const list = await controlPlane.ok<{ incidents: IncidentInList[] }>("GET", "/api/incidents");
        return list.incidents.find(({ memberCount }) => memberCount === 2);
      },
      { withinMs: 90_000 },
    );
    cart = (await alerts()).find(({ checkName }) => checkName === "Cart") as AlertInList;
  },
});

describe.skipIf(!hasBrowser)(`triage${hasBrowser ? "" : `: ${BROWSER_ADVICE}`}`, () => {
  it("tells why an alert fired, how it ends, and who was notified", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, `/alerts/${cart.id}`);
    const why = page.getByRole("region", { name: "Why it fired" });
    await why.getByText(/\d+ failures? in a row; the rule fires at 1\./).waitFor();
    expect(await why.getByRole("link", { name: "newest result" }).getAttribute("href")).toMatch(
      /\/results\/res_/,
    );
    const ends = page.getByRole("region", { name: "How it ends" });
    await ends
      .getByText(/0 of 1 success at/)
      .first()
      .waitFor();
    const notified = page.getByRole("list", { name: "Who was told" });
    await notified.getByText("On-call").first().waitFor();
    await notified.getByText("Delivered").first().waitFor({ timeout: 90_000 });
    await page.context().close();
  });

  it("shows in another tab what was done in one, and the sentence of what was refused", async () => {
    const one = await dashboard.browser.open({ timezoneId: "Europe/Berlin" });
    await signIn(one, `/alerts/${cart.id}`);
    const other = await one.context().newPage();
    await other.goto(`/alerts/${cart.id}`);
    for (const page of [one, other]) await page.getByRole("button", { name: "Acknowledge" }).waitFor();

    // Somebody else is faster: by the time the page's request arrives, the alert is acknowledged.
    await one.route("**/acknowledge", async (route) => {
      await dashboard.controlPlane.ok("POST", `/api/alerts/instances/${cart.id}/acknowledge`);
      await route.continue();
    });
    await one.getByRole("button", { name: "Acknowledge" }).click();
    await one
      .getByRole("region", { name: "Messages" })
      .getByText(/acknowledged/)
      .waitFor();
    await other.getByText("Acknowledged", { exact: true }).first().waitFor();
    await one.getByText("Acknowledged", { exact: true }).first().waitFor();
    expect(await stateOf(cart.id)).toBe("acknowledged");

    await one.getByRole("button", { name: "Mute" }).click();
    await one.getByRole("menuitem", { name: "For 1 hour" }).click();
    await one
      .getByText(/Muted until .*\(Europe\/Berlin\)/)
      .first()
      .waitFor();
    await one.getByRole("button", { name: "Unmute" }).click();
    await one
      .getByText(/Muted until/)
      .first()
      .waitFor({ state: "detached" });
    await one.context().close();
  });

  it("filters alerts in the address, and acts on several at once", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, "/alerts?state=active");
    const table = page.getByRole("table", { name: "Alerts" });
    await table.getByRole("checkbox", { name: "Select It fails of Pay" }).check();
    expect(await table.getByRole("link", { name: "Cart" }).count()).toBe(0);
    await page
      .getByRole("toolbar", { name: "1 selected" })
      .getByRole("button", { name: "Acknowledge" })
      .click();
    await page.getByRole("region", { name: "Messages" }).getByText("1 alert acknowledged.").waitFor();
    await page.getByText("No alert is like that.").waitFor();
    await page.getByRole("combobox", { name: "State" }).selectOption("");
    await table.getByRole("link", { name: "Cart" }).waitFor();
    expect(new URL(page.url()).search).toBe("?state=");
    await page.context().close();
  });

  it("shows an incident's cause, its checks at each location, what changed before, and one timeline", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    await page.goto(incident.triageUrl);
    const hypothesis = page.getByRole("region", { name: "Hypothesis" });
    await hypothesis.getByText(incident.hypothesis.summary).waitFor();
    await hypothesis.getByText(`Confidence ${Math.round(incident.hypothesis.confidence * 100)} %`).waitFor();
    await hypothesis
      .getByRole("list", { name: "Speaks for it" })
      .getByText(/shop 1\.2\.3/)
      .waitFor();
    expect(
      await hypothesis.getByRole("list", { name: "Excluded" }).getByRole("listitem").count(),
    ).toBeGreaterThan(0);

    const matrix = page.getByRole("table", { name: "Affected" });
    for (const name of ["Cart", "Pay"]) {
      const row = matrix.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
      // Two locations, each now and at its worst.
      await expect.poll(() => row.getByText("Failure", { exact: true }).count(), { timeout: 90_000 }).toBe(2);
      expect(await row.getByRole("link", { name: "Worst: Failure" }).count()).toBe(2);
    }
    await page.getByRole("region", { name: "What changed before" }).getByText("shop 1.2.3").waitFor();
    await page
      .getByRole("region", { name: "First failure" })
      .getByText(/expected status 200, got 500/)
      .waitFor();

    const feed = page.getByRole("feed", { name: "Timeline" });
    await feed.getByText("shop 1.2.3 was deployed").waitFor();
    await feed
      .getByText(/On-call \(webhook\) was notified/)
      .first()
      .waitFor();
    const instants: (string | null)[] = [];
    for (const time of await feed.locator("time").all()) instants.push(await time.getAttribute("datetime"));
    expect(instants).toEqual(instants.toSorted());
    const texts = await feed.getByRole("article").allTextContents();
    const at = (text: RegExp) => texts.findIndex((one) => text.test(one));
    expect(at(/was deployed/)).toBeLessThan(at(/Opened/));

    // What is reported while the page is open joins the timeline.
    await dashboard.controlPlane.ok("POST", "/api/events/deployments", { service: "shop", version: "1.2.4" });
    await feed.getByText("shop 1.2.4 was deployed").waitFor();
    await page.context().close();
  });

  it("is accessible and fits a narrow screen in both themes", async () => {
    const { deployments } = await dashboard.controlPlane.ok<{ deployments: { id: string }[] }>(
      "GET",
      "/api/deployments",
    );
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await dashboard.browser.open({ colorScheme, viewport: { width: 320, height: 640 } });
      await signIn(page);
      for (const path of [
        `/incidents/${incident.id}`,
        `/alerts/${cart.id}`,
        "/alerts?state=",
        "/incidents",
        `/deployments?compared=${deployments[0]?.id}`,
        "/changes",
      ]) {
        await page.goto(path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
        await expect.poll(() => page.locator("main [aria-busy=true]").count()).toBe(0);
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, overflow]).toEqual([path, 0]);
      }
      await page.context().close();
    }
  });

  it("adds a note with its author, closes and reopens the incident, and exports what happened", async () => {
    const page = await dashboard.browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page, `/incidents/${incident.id}`);
    await page.getByRole("textbox", { name: "Add a note" }).fill("Rolled back <b>1.2.3</b>");
    await page.getByRole("button", { name: "Add note" }).click();
    const note = page
      .getByRole("feed", { name: "Timeline" })
      .getByRole("article")
      .filter({ hasText: "Rolled back <b>1.2.3</b>" });
    await note.getByText(OWNER.email).waitFor();

    const state = async () =>
      (
        await dashboard.controlPlane.ok<{ incident: { state: string } }>(
          "GET",
          `/api/incidents/${incident.id}`,
        )
      ).incident.state;
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    expect(await state()).toBe("closed");
    expect(await page.getByRole("button", { name: "Close", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Reopen" }).click();
    await page.getByRole("button", { name: "Close", exact: true }).waitFor();
    expect(await state()).toBe("open");

    const [exported] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export timeline" }).click(),
    ]);
    expect(exported.suggestedFilename()).toBe(`${incident.id}-timeline.txt`);
    await page.getByRole("button", { name: "Copy summary" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toContain(`**Likely cause**`);
    expect(copied).toContain("Pay: alert");
    await page.context().close();
  });

  it("compares checks before and after a deployment, and shows who changed which field", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, "/deployments");
    await page.getByRole("button", { name: "Before and after shop 1.2.3" }).click();
    const compared = page.getByRole("table", { name: "Before and after" });
    // A new check's first slot is its newest one, which may lie in the minute before the deployment.
    for (const name of ["Cart", "Pay"])
      await compared
        .getByRole("row", { name: new RegExp(`^${name} (no results|100.00 % of \\d)`) })
        .waitFor();
    const { instances } = await dashboard.controlPlane.ok<{ instances: { checkId: string }[] }>(
      "GET",
      "/api/alerts/instances?limit=1",
    );
    const checkId = instances[0]?.checkId as string;
    await dashboard.controlPlane.ok("PUT", `/api/checks/${checkId}`, { name: "Renamed" });
    await page.goto("/changes?type=check");
    const changes = page.getByRole("table", { name: "Changes" });
    await changes.getByText("Renamed").first().waitFor();
    expect(await changes.getByRole("row").filter({ hasText: "Channel" }).count()).toBe(0);
    await page.goto(`/checks/${checkId}?tab=config`);
    const change = page
      .getByRole("table", { name: "Changes of this check" })
      .getByRole("row")
      .filter({ has: page.locator("ins", { hasText: "Renamed" }) });
    await change.locator("del").first().waitFor();
    await page.context().close();
  });

  it("moves nothing once it is drawn: the incident, a failing check, and its failure", async () => {
    const { checks } = await dashboard.controlPlane.ok<{ checks: { id: string }[] }>("GET", "/api/checks");
    const ids = checks.map(({ id }) => id);
    // Results that come meanwhile would be news, which may lengthen the page.
    for (const id of ids) await dashboard.controlPlane.ok("PUT", `/api/checks/${id}`, { enabled: false });
    const { results } = await dashboard.controlPlane.ok<{ results: { id: string }[] }>(
      "GET",
      `/api/checks/${ids[0]}/results?status=failure&limit=1`,
    );
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 720 } });
    await watchLayoutShifts(page);
    await signIn(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 720 });
      for (const path of [
        incident.triageUrl,
        `/checks/${ids[0]}`,
        `/checks/${ids[0]}/results/${results[0]?.id}`,
      ]) {
        await page.goto(path);
        expect([width, path, await layoutShifts(page)]).toEqual([width, path, []]);
      }
    }
    await page.context().close();
  });
});
