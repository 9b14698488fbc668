/** Rotas and the incident policy in the dashboard: made, shown with who is on duty, named by a step, changed and deleted. */
import { pages } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({
  // 404: the news of a deletion may be there before the page that shows the rota has gone.
  refusals: [400, 404, 409, 412],
  withoutRunner: true,
  prepare: () => createWebhook(dashboard, "http://127.0.0.1:9/hook"),
});

type Steps = { incidentPolicy: { steps: { afterMinutes: number; channelIds: string[]; rotaId?: string }[] } };

describe.runIf(hasBrowser)(`rotas${BROWSER_ADVICE}`, () => {
  it("are made of people and their channels, and a step of the incident policy names one", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.rotas.path);
    await page.getByRole("link", { name: "New rota" }).click();
    const form = page.getByRole("form", { name: "Rota" });
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "problems" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByRole("textbox", { name: "Name" }).first().fill("On call");
    const member = form.getByRole("group", { name: "Members" });
    await member.getByRole("textbox", { name: "Name" }).fill("Ada");
    await member.getByRole("checkbox", { name: /webhook/ }).check();
    await form.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("table", { name: "Rotas" }).getByRole("row", { name: /On call/ });
    await row.getByRole("cell", { name: "the turn" }).waitFor();

    await page.getByRole("link", { name: "Incident policy" }).click();
    const policy = page.getByRole("form", { name: "Incident policy" });
    await policy.getByRole("button", { name: "Add step" }).click();
    await policy.getByRole("spinbutton", { name: "After in minutes" }).fill("15");
    await policy
      .getByRole("combobox", { name: "Rota" })
      .selectOption({ label: "On call (on duty now: Ada)" });
    expect(await accessibilityProblems(page)).toEqual([]);
    await policy.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table", { name: "Rotas" }).waitFor();
    const { rotas } = await dashboard.controlPlane.ok<{ rotas: { id: string }[] }>("GET", "/api/rotas");
    const { incidentPolicy } = await dashboard.controlPlane.ok<Steps>("GET", "/api/incident-policy");
    expect(incidentPolicy.steps).toEqual([{ afterMinutes: 15, channelIds: [], rotaId: rotas[0]?.id }]);

    await page.getByRole("link", { name: "Incident policy" }).click();
    const [step] = incidentPolicy.steps;
    await policy.getByRole("spinbutton", { name: "After in minutes" }).waitFor();
    // Somebody else changes it meanwhile.
    await dashboard.controlPlane.ok("PUT", "/api/incident-policy", {
      steps: [{ ...step, afterMinutes: 20 }],
    });
    await policy.getByRole("spinbutton", { name: "After in minutes" }).fill("30");
    await policy.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("table", { name: "Rotas" }).waitFor();
    const after = await dashboard.controlPlane.ok<Steps>("GET", "/api/incident-policy");
    expect(after.incidentPolicy.steps).toEqual([{ ...step, afterMinutes: 30 }]);

    await row.getByRole("link", { name: "On call" }).click();
    await page
      .getByRole("region", { name: "On duty" })
      .getByText(/Now: Ada, until/)
      .waitFor();
    expect(
      await page.getByRole("list", { name: "Next handovers" }).getByRole("listitem").count(),
    ).toBeGreaterThan(2);
    // Somebody else changes it meanwhile.
    await dashboard.controlPlane.ok("PUT", `/api/rotas/${rotas[0]?.id}`, { timezone: "Europe/Berlin" });
    await form.getByRole("textbox", { name: "Name" }).first().fill("On duty");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("link", { name: "On duty" }).click();
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    const remove = async () => {
      await page.getByRole("button", { name: "Delete" }).first().click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    };
    await remove();
    await page.getByText(/is used by the incident policy/).waitFor();
    await dashboard.controlPlane.ok("DELETE", "/api/incident-policy");
    await page.goto(`${pages.rotas.path}/${rotas[0]?.id}`);
    await remove();
    await page.getByText("A rota says who is on duty").waitFor();
    await page.context().close();
  });
});
