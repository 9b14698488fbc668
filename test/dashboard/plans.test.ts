/** A published plan in the dashboard: what a deploy would change, and what a plan says that is gone. */
import { pagePath, pages } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({ withoutRunner: true, refusals: [404] });

const LONG = "x".repeat(600);

describe.runIf(hasBrowser)(`a published plan${BROWSER_ADVICE}`, () => {
  it("is shown in words, field by field, whatever its names are", async () => {
    const { plan } = await dashboard.controlPlane.ok<{ plan: { id: string; url: string } }>(
      "POST",
      "/api/plans",
      {
        project: "shop",
        changes: [
          { type: "create", kind: "check", name: LONG, remoteId: null, fieldChanges: [] },
          {
            type: "update",
            kind: "alert",
            name: "</script><b>\u202eDown",
            remoteId: "alert_1",
            drift: "conflict",
            fieldChanges: [
              { field: "channelIds", oldValue: ["ops"], newValue: ["ops", "</script>"] },
              { field: "auth", oldValue: "[redacted]", newValue: "[redacted]", redacted: true },
            ],
          },
        ],
        summary: { create: 1, update: 1, delete: 0, unchanged: 12 },
        prunable: [{ kind: "slo", name: "Old" }],
        ci: { commit: "abcdef0123456789", branch: "main", author: "ada", url: "https://ci.example/1" },
      },
    );
    expect(plan.url).toBe(dashboard.controlPlane.url + pagePath("plan", { id: plan.id }));
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      const page = await dashboard.browser.open({ viewport: { width, height: 900 }, colorScheme });
      await signIn(page, pagePath("plan", { id: plan.id }));
      await page.getByRole("heading", { level: 1, name: "Plan of shop" }).waitFor();
      await page
        .getByText("It would create 1 resource and update 1 resource. 12 resources would stay")
        .waitFor();
      const rows = page.getByRole("table", { name: "Changes" }).getByRole("row");
      const text = await rows.nth(2).innerText();
      expect(text).toContain("Alert rule </script><b>");
      expect(text).toContain("changed in the config and on the service since the last deploy");
      expect(text).toContain("changed, its values are masked");
      expect(await page.getByRole("list", { name: "Not in the config" }).innerText()).toBe("SLO Old");
      expect(await page.getByRole("link", { name: "its pipeline" }).getAttribute("href")).toBe(
        "https://ci.example/1",
      );
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/plan-${width}.png`, fullPage: true });
      await page.context().close();
    }
  });

  it("that has expired says so, and how to get another one", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("plan", { id: "plan_01h455vb4pex5vsknk084sn02q" }));
    await page.getByText("This plan has expired, or belongs to another team.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });
});

describe.runIf(hasBrowser)(`the projects${BROWSER_ADVICE}`, () => {
  it("say what each deployed, and what its next deploy will call drift", async () => {
    const id = await createHttpCheck(dashboard, "http://127.0.0.1:9/", {
      name: "Home",
      frequencySeconds: 3600,
    });
    const page = await dashboard.browser.open();
    await signIn(page, pages.projects.path);
    await page.getByRole("link", { name: "Export what this team has" }).waitFor();
    await dashboard.controlPlane.ok("PUT", "/api/deploy-baselines/shop", {
      resources: [{ kind: "check", name: LONG, resourceId: id, hash: "0", updatedAt: "then" }],
    });
    await page.reload();
    const shop = page.getByRole("region", { name: "shop" });
    await shop.getByText("1 check").waitFor();
    await shop.getByText("Nothing of it was changed here since.").waitFor();
    await dashboard.controlPlane.ok("PUT", `/api/checks/${id}`, { name: "Front", frequencySeconds: 1800 });
    await page.reload();
    await shop.getByText("1 resource changed here since the last deploy").waitFor();
    await shop.getByText("2 fields: frequencySeconds, name").waitFor();
    expect(await shop.getByRole("link", { name: LONG }).getAttribute("href")).toBe(pagePath("check", { id }));
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/projects-${width}.png` });
    }
    await page.context().close();
  });
});
