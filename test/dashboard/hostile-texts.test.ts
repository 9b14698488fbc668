/** Texts that nobody should write, in every field of every form: each is taken as a text, or refused at its field in words. */
import { channelTypes, checkTypes, pagePath, pages } from "@svc/contract";
import type { Locator, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
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

const TEXTS = {
  "10,000 characters": "x".repeat(10_000),
  "a script, and marks that turn the direction":
    "\u202eevil\u2066</script><img src=x onerror=window.hacked=1>'`${1}",
  "control characters and half a character": "nul\u0000bell\u0007esc\u001b[31m\u009b\u2028half\ud800end",
};

let incidentId: string;
const dashboard = setUpDashboardTests({
  // 403: a wrong password; 409: a name that a former text has.
  refusals: [400, 403, 409],
  async prepare({ stack }) {
    stack.target.answerWith(500);
    const channelId = await createWebhook(dashboard, "http://127.0.0.1:9/hook");
    const checkId = await createHttpCheck(dashboard, stack.target.url, {
      name: "Shop",
      frequencySeconds: 3600,
    });
    await createFirstFailureRule(dashboard, { checkId, channelId });
    await runUntil(dashboard, checkId, "failure");
    incidentId = await until("an incident", async () => {
      const { incidents } = await dashboard.controlPlane.ok<{ incidents: { id: string }[] }>(
        "GET",
        "/api/incidents",
      );
      return incidents[0]?.id;
    });
  },
});

/** Puts a text into a field as a paste would, characters included that a driver does not type. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.focus();
  // Escaped, so that half a character reaches the page.
  await field.page().evaluate(`(() => {
    document.activeElement.select?.() ?? document.execCommand("selectAll");
    document.execCommand("insertText", false, ${JSON.stringify(text)});
  })()`);
}

/** Requires that no script of a text ran, and that the page does not scroll sideways. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
}

/** True when what a summary heads is shown. */
const isOpen = (summary: Locator) =>
  summary.evaluate(
    (element) => (element as unknown as { parentElement: { open: boolean } }).parentElement.open,
  );

/** Returns what a field holds, and whether the browser lets a form with it go. */
const stateOf = (field: Locator) =>
  field.evaluate((element) => {
    const input = element as unknown as { value: string; checkValidity(): boolean };
    return { isValid: input.checkValidity(), value: input.value };
  });

/** Opens what is folded up in a form, and adds one of whatever can be added to it, then to what was added. */
async function unfold(form: Locator): Promise<void> {
  const added = new Set<string>();
  for (let round = 0; round < 2; round++) {
    for (const summary of await form.getByText(/^More settings/).all())
      if ((await summary.isVisible()) && !(await isOpen(summary))) await summary.click();
    for (const name of await form.getByRole("button", { name: /^Add / }).allTextContents()) {
      const button = form.getByRole("button", { name, exact: true }).first();
      if (!added.has(name) && (await button.isVisible())) await button.click();
      added.add(name);
    }
  }
}

describe.runIf(hasBrowser)(`hostile texts${BROWSER_ADVICE}`, () => {
  let session: Page;
  /** Opens a page in the session. Drafts that an earlier page kept are not offered: they are kept by page. */
  const opened = async (path: string) => {
    const page = await session.context().newPage();
    await page.goto(path);
    return page;
  };
  beforeAll(async () => {
    if (!hasBrowser) return;
    session = await dashboard.browser.open({ viewport: { width: 390, height: 900 } });
    await signIn(session);
  });

  const typed = (types: readonly string[], name: string, path: string) =>
    types.map((type): Form => ({ name, path, choose: ["Type", type] }));
  interface Form {
    /** Accessible name of the form. */
    name: string;
    path: string;
    /** What is chosen first: the name of the field and the value. */
    choose?: readonly [string, string];
  }
  const forms: Form[] = [
    ...typed(checkTypes.types, "Check", pages.newCheck.path),
    ...typed(channelTypes.types, "Channel", pages.newChannel.path),
    { name: "Alert rule", path: pages.newRule.path },
    { name: "SLO", path: pages.newSlo.path },
    { name: "Maintenance window", path: pages.newWindow.path },
    { name: "Location", path: pages.newLocation.path },
    { name: "Secret", path: pages.newSecret.path },
    { name: "API spec", path: pages.newSpec.path },
    { name: "API spec", path: pages.newSpec.path, choose: ["Source type", "url"] },
    { name: "Telemetry", path: pages.editTelemetry.path },
  ];
  it.each(forms.map((form) => [[form.name, form.choose?.[1]].filter(Boolean).join(", "), form] as const))(
    "in the form %s",
    async (_title, { name, path, choose }) => {
      let page: Page | undefined;
      let wasExamined = false;
      for (const text of Object.values(TEXTS)) {
        const current: Page = page ?? (await opened(path));
        const form = current.getByRole("form", { name });
        await form.waitFor();
        if (!page) {
          if (choose) {
            const select = form.getByRole("combobox", { name: choose[0], exact: true }).first();
            await select.selectOption(choose[1]);
          }
          await unfold(form);
        }
        let written = 0;
        for (const field of await form.getByRole("textbox").all())
          if ((await field.isVisible()) && (await field.isEditable())) {
            await paste(field, text);
            written++;
          }
        expect(written).toBeGreaterThan(0);
        await form.getByRole("button", { name: "Save" }).click();
        const refusal = current.getByRole("alert").filter({ hasText: /problems/ });
        const isRefused = await until("an answer", async () => {
          if ((await refusal.count()) > 0) return "refused";
          return (await form.count()) === 0 ? "saved" : undefined;
        });
        await expectHarmless(current);
        if (isRefused === "saved") {
          await current.close();
          page = undefined;
          continue;
        }
        // Each problem names its field, and leads to it.
        const problems = refusal.getByRole("listitem");
        expect(await problems.getByRole("button").count()).toBe(await problems.count());
        if (!wasExamined) expect(await accessibilityProblems(current)).toEqual([]);
        wasExamined = true;
        page = current;
      }
      await page?.close();
    },
  );

  it.each([
    ["changes the password", pages.profile.path, "Password", "Change password"],
    ["invites somebody", pages.members.path, undefined, "Invite"],
    ["makes an API key", pages.keys.path, undefined, "Create key"],
    ["adds a note to an incident", () => pagePath("incident", { id: incidentId }), undefined, "Add note"],
  ] as const)("in the form that %s", async (_title, path, region, button) => {
    const page = await opened(typeof path === "string" ? path : path());
    const within = region === undefined ? page.getByRole("main") : page.getByRole("region", { name: region });
    const labels = {
      "Change password": [/^Current password/, /^New password/],
      Invite: [/^Email address/],
      "Create key": [/^Name of the key/],
      "Add note": [/^Add a note/],
    }[button];
    for (const text of Object.values(TEXTS)) {
      for (const label of labels) await paste(within.getByLabel(label).first(), text);
      await within.getByRole("button", { name: button, exact: true }).click();
      const last = within.getByLabel(labels.at(-1) as RegExp).first();
      // Refused by the page's own field, or answered: with a sentence, or by an empty field.
      await until("an answer", async () => {
        const { isValid, value } = await stateOf(last);
        return !isValid || value === "" || (await within.getByRole("alert").count()) > 0 ? true : undefined;
      });
      await expectHarmless(page);
      expect(await accessibilityProblems(page)).toEqual([]);
      const close = page.getByRole("dialog").getByRole("button", { name: /^(Close|Done|I have)/ });
      if ((await page.getByRole("dialog").count()) > 0) await close.first().click();
    }
    await page.close();
  });

  it("in the filter of the checks, and in the palette", async () => {
    const page = await opened(pages.checks.path);
    for (const text of Object.values(TEXTS)) {
      await paste(page.getByRole("searchbox", { name: "Filter checks" }), text);
      await page.getByText("No check is like that.").waitFor();
      await expectHarmless(page);
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Command palette" });
      await paste(palette.getByRole("combobox"), text);
      await expectHarmless(page);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await palette.waitFor({ state: "detached" });
    }
    await page.close();
  });
});
