/** What every form of a record keeps to: a session that ends, and somebody else's change meanwhile, cost no work. */
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { OWNER, signIn } from "../harness/dashboard.ts";
import { createHttpCheck, createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

/** A form that changes a stored record. */
interface RecordForm {
  form: string;
  /** Path of the page. */
  page: string;
  /** Path of the record in the API. */
  api: string;
}

const FORMS = ["Check", "Alert rule", "SLO", "Channel", "Maintenance window"] as const;
const records = new Map<string, RecordForm>();

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  refusals: [412],
  async prepare() {
    const { controlPlane, stack } = dashboard;
    const { url } = stack.target;
    const checkId = await createHttpCheck(dashboard, url, { name: "A check", enabled: false });
    const channelId = await createWebhook(dashboard, url);
    const make = async (path: string, body: object) => {
      const answer = await controlPlane.ok<Record<string, { id: string }>>("POST", path, body);
      return Object.values(answer)[0]?.id ?? "";
    };
    const { id: ruleId } = await controlPlane.ok<{ id: string }>("POST", `/api/checks/${checkId}/alerts`, {
      name: "A rule",
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [channelId],
    });
    const sloId = await make("/api/slos", {
      name: "An SLO",
      checkId,
      targetBasisPoints: 9_900,
      windowDays: 14,
    });
    const windowId = await make("/api/maintenance-windows", {
      name: "A window",
      checkIds: "all",
      startsAt: "2030-01-05T02:30",
      endsAt: "2030-01-05T03:30",
      timezone: "Europe/Berlin",
    });
    const add = (form: (typeof FORMS)[number], page: string, api: string) =>
      records.set(form, { form, page, api });
    add("Check", pagePath("editCheck", { id: checkId }), `/api/checks/${checkId}`);
    add("Alert rule", pagePath("rule", { id: ruleId }), `/api/alerts/${ruleId}`);
    add("SLO", pagePath("editSlo", { id: sloId }), `/api/slos/${sloId}`);
    add("Channel", pagePath("editChannel", { id: channelId }), `/api/notification-channels/${channelId}`);
    add(
      "Maintenance window",
      pagePath("editWindow", { id: windowId }),
      `/api/maintenance-windows/${windowId}`,
    );
  },
});

async function open(what: string): Promise<RecordForm & { tab: Page }> {
  const record = records.get(what) as RecordForm;
  const page = await dashboard.browser.open();
  await signIn(page, record.page);
  return { ...record, tab: page };
}

const nameOf = async (api: string) => {
  const answer = await dashboard.controlPlane.ok<Record<string, { name: string }>>("GET", api);
  return Object.values(answer)[0]?.name;
};
const untilNamed = (api: string, name: string) => expect.poll(() => nameOf(api)).toBe(name);

describe.runIf(hasBrowser).each(FORMS)(`the form of a stored record: %s${BROWSER_ADVICE}`, (what) => {
  it("keeps what was written while a session that ended is begun again, and saves it then", async () => {
    const { tab: page, form: name, api } = await open(what);
    const form = page.getByRole("form", { name, exact: true });
    const box = form.getByRole("textbox", { name: "Name", exact: true });
    await box.fill("Written before");
    await page.context().clearCookies();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    // A page that reads something meanwhile, such as a preview, learns of it first: its dialog then lies over the button.
    await form
      .getByRole("button", { name: "Save" })
      .click({ timeout: 5_000 })
      .catch(() => undefined);
    await dialog.getByRole("textbox", { name: "Email" }).fill(OWNER.email);
    await dialog.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await box.inputValue()).toBe("Written before");
    expect(await nameOf(api)).not.toBe("Written before");
    await form.getByRole("button", { name: "Save" }).click();
    await untilNamed(api, "Written before");
    await page.context().close();
  });

  it("says what somebody else has changed meanwhile, and reloads or overwrites it as one wants", async () => {
    const { tab: page, form: name, api } = await open(what);
    const form = page.getByRole("form", { name, exact: true });
    const box = form.getByRole("textbox", { name: "Name", exact: true });
    const question = page.getByRole("dialog", { name: "Changed meanwhile" });
    const rename = (to: string) => dashboard.controlPlane.ok("PUT", api, { name: to });
    await box.fill("Mine");
    await rename("Theirs");
    await form.getByRole("button", { name: "Save" }).click();
    await question.getByText(/since you opened it: Name\./).waitFor();
    expect(await nameOf(api)).toBe("Theirs");
    await question.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => box.inputValue()).toBe("Theirs");

    await box.fill("Mine");
    await rename("Theirs again");
    await form.getByRole("button", { name: "Save" }).click();
    await question.getByRole("button", { name: "Overwrite" }).click();
    await untilNamed(api, "Mine");
    await page.context().close();
  });
});
