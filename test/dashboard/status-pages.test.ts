/** Status pages in the dashboard: made, with notices and updates; and as everybody reads them, in light and dark and on narrow screens. */
import { pages, type StatusNotice, type StatusPage } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({
  refusals: [400, 409],
  withoutRunner: true,
  environment: async () => ({ SVC_SMTP_URL: "smtp://127.0.0.1:9", SVC_SMTP_FROM: "status@example.com" }),
});

describe.runIf(hasBrowser)(`status pages${BROWSER_ADVICE}`, () => {
  it("are made with a check as component, and with a notice that an update ends", async () => {
    await createHttpCheck(dashboard, "http://127.0.0.1:9/shop", { name: "Internal name" });
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.statusPages.path);
    await page.getByRole("link", { name: "New status page" }).click();
    const form = page.getByRole("form", { name: "Status page" });
    await form.getByRole("textbox", { name: "Slug" }).fill("example-shop");
    await form.getByRole("textbox", { name: "Title" }).fill("Example Shop");
    await form.getByRole("button", { name: /^Add/ }).first().click();
    await form.getByRole("textbox", { name: "Name" }).fill("Website");
    const more = form.getByText(/^More settings/);
    if ((await more.count()) > 0) await more.first().click();
    await form.getByRole("combobox", { name: "Check" }).selectOption({ label: "Internal name" });
    await form.getByRole("checkbox", { name: "Is published" }).check();
    await form.getByRole("checkbox", { name: "Email" }).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Example Shop" }).waitFor();
    await page.getByRole("link", { name: "New notice" }).click();
    const notice = page.getByRole("form", { name: "Notice" });
    await notice.getByRole("textbox", { name: "Title" }).fill("Slow checkout");
    await notice.getByRole("textbox", { name: "Text" }).fill("We look into it.");
    await notice.getByRole("checkbox", { name: "Website" }).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await notice.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table", { name: "Notices" }).getByText("Under way").waitFor();
    await page.getByRole("link", { name: "Slow checkout" }).click();
    const update = page.getByRole("form", { name: "Update" });
    await update.getByRole("combobox", { name: "Status" }).selectOption("resolved");
    await update.getByRole("textbox", { name: "Text" }).fill("Fast again.");
    expect(await accessibilityProblems(page)).toEqual([]);
    await update.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table", { name: "Notices" }).getByText("Over").waitFor();
    await page.getByRole("link", { name: "Slow checkout" }).click();
    const fields = page.getByRole("form", { name: "Notice" });
    await fields.getByRole("textbox", { name: "Title" }).fill("Slow checkout and cart");
    await fields.getByRole("checkbox", { name: "Website" }).uncheck();
    expect(await accessibilityProblems(page)).toEqual([]);
    await fields.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Slow checkout and cart" }).waitFor();
    const pagesPath = "/api/status-pages";
    const { statusPages } = await dashboard.controlPlane.ok<{ statusPages: StatusPage[] }>("GET", pagesPath);
    const stored = statusPages[0] as StatusPage;
    expect(stored.subscriptions).toEqual({ email: true });
    const noticesPath = `${pagesPath}/${stored.id}/notices`;
    const { notices } = await dashboard.controlPlane.ok<{ notices: StatusNotice[] }>("GET", noticesPath);
    const changed = notices[0] as StatusNotice;
    expect([changed.components, changed.updates.length, changed.endsAt === null]).toEqual([[], 2, false]);
    await page.getByText("There are none.").waitFor();
    const hook = { url: "https://hooks.example/status" };
    await dashboard.controlPlane.ok("POST", `/api/status-pages/${stored.id}/subscribers`, hook);
    await page.reload();
    await page.getByRole("heading", { name: "Subscribers: 1" }).waitFor();
    const subscribers = page.getByRole("table", { name: "Subscribers" });
    await subscribers.getByText("https://hooks.example/***").waitFor();
    await subscribers.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Subscribers: 0" }).waitFor();
    await page.getByRole("tab", { name: "As code" }).click();
    await page.getByText("slug: example-shop").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(pages.statusPages.path);
    await page.getByRole("table", { name: "Status pages" }).getByText("/status/example-shop").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["dark", 320],
    ["light", 320],
  ] as const)("are read by anybody in %s at a width of %i, without scripts", async (colorScheme, width) => {
    await dashboard.controlPlane.ok("POST", "/api/status-pages", {
      slug: `read-${colorScheme}-${width}`,
      title: "A title that is quite long for a narrow screen, withaverylongwordthatdoesnotfitanywhere",
      description: "Two\nlines",
      isPublished: true,
      subscriptions: { email: true },
      components: [
        { name: "One component with a long name", labels: ["a"] },
        { name: "Two", labels: ["b"] },
      ],
    });
    const page = await dashboard.browser.open({ viewport: { width, height: 700 }, colorScheme });
    await page.goto(`/status/read-${colorScheme}-${width}`);
    await page
      .getByRole("img", { name: /90 days, the oldest first/ })
      .first()
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await page.locator("script").count()).toBe(0);
    await page.getByRole("textbox", { name: "Mail address" }).fill(`${colorScheme}${width}@example.com`);
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.getByRole("heading", { name: "Look into your mailbox" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
