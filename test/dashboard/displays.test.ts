/** A screen with a display link: it shows the wall live and nothing else, goes on after a restart, and says when the link has ended. */
import { type DisplayLink, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, runUntil, setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { createSecondTeam } from "../harness/second-team.ts";

const dashboard = setUpDashboardTests({ refusals: [403, 410], withDatabase: true });

const SECRET = /dl_[0-9a-f]{64}/;
const tile = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
/** Text that the page itself can see of where it is and was. */
const traces = (page: Page) =>
  page.evaluate<string>(
    "JSON.stringify([location.href, document.referrer, document.cookie, history.state, { ...sessionStorage, ...localStorage }])",
  );

async function look(page: Page, name: string): Promise<void> {
  expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
  expect([name, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([name, 0]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

/** Makes a display link on the page for it. Returns its address. */
async function makeLink(page: Page, name: string, label: string): Promise<string> {
  await page.getByRole("textbox", { name: "Name of the screen" }).fill(name);
  await page.getByRole("textbox", { name: "Only checks with the label" }).fill(label);
  await page.getByRole("button", { name: "Create display link" }).click();
  const dialog = page.getByRole("dialog", { name: "Your new display link" });
  const address = await dialog.getByText(SECRET).innerText();
  await dialog.getByRole("button", { name: "Close" }).click();
  return address;
}

describe.runIf(hasBrowser)(`a display link${BROWSER_ADVICE}`, () => {
  it("shows the wall live on a screen where nobody is signed in, until it is revoked", async () => {
    const { controlPlane, stack, databaseUrl } = dashboard;
    stack.target.answerWith(200);
    const [front] = await Promise.all(
      [
        ["Front", "team:a"],
        ["Stranger", "team:b"],
      ].map(async ([name = "", label = ""]) => {
        const id = await createHttpCheck(dashboard, stack.target.url, { name, frequencySeconds: 3600 });
        await controlPlane.ok("PUT", `/api/checks/${id}/labels`, { labels: [label] });
        await runUntil(dashboard, id, "success");
        return id;
      }),
    );
    const second = createSecondTeam({ controlPlane, databaseUrl });

    const owner = await dashboard.browser.open();
    await signIn(owner, pages.displays.path);
    await owner.getByText("There is no display link yet.").waitFor();
    await look(owner, "displays-empty");
    const address = await makeLink(owner, "Hall </script>\u202e", "team:a");
    expect(address).toMatch(/\/wall\/open#dl_/);
    const row = owner.getByRole("table", { name: "Display links" }).getByRole("row").nth(1);
    expect(await row.innerText()).toMatch(/Hall <\/script>.*checks with team:a.*owner@example\.com.*never/s);
    expect(await owner.locator("body").innerText()).not.toMatch(SECRET);
    for (const [width, colorScheme] of [
      [390, "dark"],
      [1280, "light"],
    ] as const) {
      await owner.setViewportSize({ width, height: 800 });
      await owner.emulateMedia({ colorScheme });
      await look(owner, `displays-${width}-${colorScheme}`);
    }

    const requests: string[] = [];
    const screen = await dashboard.browser.open({ viewport: { width: 1280, height: 720 } });
    screen.on("request", (request) => {
      const { referer = "" } = request.headers();
      requests.push(`${request.method()} ${request.url()} ${referer}`);
    });
    await screen.goto(address);
    await tile(screen, "Front").getByText("Healthy").waitFor();
    await screen.getByRole("status", { name: "Connection" }).getByText("Live").waitFor();
    expect(new URL(screen.url()).pathname + new URL(screen.url()).hash).toBe("/wall");
    expect(await traces(screen)).not.toMatch(SECRET);
    expect(requests.join("\n")).not.toMatch(SECRET);
    expect(await screen.getByRole("main").innerText()).not.toContain("Stranger");
    expect(await screen.getByRole("link").count()).toBe(0);
    await look(screen, "display-wall");

    stack.target.answerWith(500);
    await runUntil(dashboard, front as string, "failure");
    await tile(screen, "Front").getByText("Unhealthy").waitFor();

    for (const path of [pages.overview.path, pages.checks.path, pages.keys.path]) {
      await screen.goto(path);
      await heading(screen, "Sign in").waitFor();
    }
    const asked = await screen.evaluate<[number, string][]>(`Promise.all(
      ["/api/checks", "/api/audit", "/api/auth/session", "/api/incidents", "/api/secrets", "/api/display-links"].map((path) =>
        fetch(path).then(async (answer) => [answer.status, (await answer.json()).code])))`);
    expect(new Set(asked.map(String))).toEqual(new Set(["403,display_only"]));
    const changed = await screen.evaluate(
      `fetch("/api/checks/${front}", { method: "DELETE" }).then(({ status }) => status)`,
    );
    expect(changed).toBe(403);

    // Power comes back: the browser has its cookies, and opens the page that it was on or begins with.
    const restarted = await dashboard.browser.open({ storageState: await screen.context().storageState() });
    await restarted.goto(pages.wall.path);
    await tile(restarted, "Front").waitFor();

    await screen.goto(pages.wall.path);
    await tile(screen, "Front").waitFor();
    const list = await second.call("GET", "/api/checks/summary");
    expect((list.body as { ids: string[] }).ids).toEqual([]);
    const stranger = await dashboard.browser.open();
    await stranger.goto(second.signInUrl);
    await stranger.getByRole("textbox").last().fill("correct horse battery");
    await stranger.getByRole("button").click();
    await stranger.goto(pages.displays.path);
    await stranger.getByText("There is no display link yet.").waitFor();

    await owner.reload();
    const { displayLinks } = await owner.evaluate<{ displayLinks: DisplayLink[] }>(
      `fetch("/api/display-links").then((answer) => answer.json())`,
    );
    expect(displayLinks).toMatchObject([{ lastUsedAddress: expect.stringMatching(/127\.0\.0\.1|::1/) }]);
    await owner.getByRole("button", { name: "Revoke" }).click();
    await owner.getByText("There is no display link yet.").waitFor();
    for (const ended of [screen, restarted])
      await heading(ended, "This display link has ended").waitFor({ timeout: 60_000 });
    await look(screen, "display-ended");
    expect(await screen.getByRole("listitem").count()).toBe(0);
    await screen.goto(address);
    await screen.getByText("It was revoked or has expired.").waitFor();
    expect(await traces(screen)).not.toMatch(SECRET);
    await screen.reload();
    await heading(screen, "This display link has ended").waitFor();
    for (const page of [owner, screen, restarted, stranger]) await page.context().close();
  });

  it("that is half a link is refused in words, and a browser without one is led to the sign-in", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 390, height: 800 } });
    await page.goto(`${pages.openDisplay.path}#dl_${"0".repeat(64)}`);
    await heading(page, "This display link has ended").waitFor();
    await look(page, "display-refused-narrow");
    await page.goto(pages.openDisplay.path);
    await heading(page, "Sign in").waitFor();
    expect(page.url()).toContain("returnTo=%2Fwall");
    await page.context().close();
  });
});
