/** Pages when something around them is wrong: refused requests, a wrong clock, nonsense in the address, a foreign frame. */
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, runUntil, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const CLOCK_ERROR_MS = 10 * 60_000;
const FOREIGN_SITE = "http://foreign.test/";
/** Lists, each of which reads its records by the path beside it. */
const LISTS = [
  ["/alerts", "/api/alerts/instances"],
  ["/incidents", "/api/incidents"],
  ["/locations", "/api/locations"],
  ["/channels", "/api/notification-channels"],
  ["/maintenance", "/api/maintenance-windows"],
  ["/certificates", "/api/certificates"],
  ["/changes", "/api/changes"],
  ["/settings/keys", "/api/api-keys"],
] as const;
const ODD_VALUES = [
  "",
  "NaN",
  "-1",
  "99999999999999999999",
  "%00",
  "%F0%9F%92%A5",
  "__proto__",
  "1".repeat(500),
];

let checkId: string;

const dashboard = setUpDashboardTests({
  refusals: [400, 429, 500],
  expected: [/^request to http:\/\/foreign\.test\//, /frame-ancestors/],
  async prepare({ stack }) {
    stack.target.answerWith(500);
    checkId = await createHttpCheck(dashboard, stack.target.url, { name: "Shop", frequencySeconds: 3_600 });
    await runUntil(dashboard, checkId, "failure");
  },
});

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

describe.runIf(hasBrowser)(`a page in trouble${BROWSER_ADVICE}`, () => {
  for (const { status, colorScheme, lists } of [
    // The page asks again by itself before it shows a 500.
    { status: 500, colorScheme: "light", lists: LISTS.slice(0, 3) },
    { status: 429, colorScheme: "dark", lists: LISTS },
  ] as const)
    it(`says the API's sentence when its list is refused with ${status}, and shows the list on demand, ${colorScheme}`, async () => {
      const page = await dashboard.browser.open({ colorScheme });
      await signIn(page);
      for (const [path, apiPath] of lists) {
        const sentence = `No list from ${apiPath} now`;
        let isRefused = true;
        await page.route(
          ({ pathname }) => pathname === apiPath,
          (route) => (isRefused ? route.fulfill({ status, json: { error: sentence } }) : route.continue()),
        );
        await page.goto(path);
        const alert = page.getByRole("main").getByRole("alert").filter({ hasText: sentence }).first();
        const retry = alert.getByRole("button", { name: "Retry" });
        await alert.waitFor();
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        await Promise.all([page.waitForRequest((request) => request.url().includes(apiPath)), retry.click()]);
        await alert.waitFor();
        isRefused = false;
        // A page that asks again by itself just now leaves no button to click.
        const shown = page.getByText(sentence).first().waitFor({ state: "detached" });
        await Promise.race([shown, retry.click().catch(() => undefined)]);
        await shown;
        await page.unrouteAll({ behavior: "wait" });
      }
      await page.context().close();
    });

  for (const errorMs of [CLOCK_ERROR_MS, -CLOCK_ERROR_MS])
    it(`tells ages by the service's clock where the browser's is ${errorMs / 60_000} min off`, async () => {
      const page = await dashboard.browser.open();
      await page.addInitScript(`{
        const Right = Date;
        Date = class extends Right {
          constructor(...parts) { parts.length === 0 ? super(Right.now() + ${errorMs}) : super(...parts); }
          static now() { return Right.now() + ${errorMs}; }
        };
      }`);
      await runUntil(dashboard, checkId, "failure");
      await signIn(page, pagePath("check", { id: checkId }));
      await page
        .getByRole("region", { name: "Last failure" })
        .getByText(/\(([1-9]\d? s|[1-3] min.*) ago\)/)
        .waitFor();
      await page.context().close();
    });

  it("shows its heading whatever its address asks for", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    const names = ["range", "from", "to", "state", "severity", "label", "q", "sort", "group", "type", "tab"];
    const paths = [
      "/checks",
      "/alerts",
      "/incidents",
      "/events",
      "/changes",
      pagePath("check", { id: checkId }),
    ];
    for (const [i, value] of ODD_VALUES.entries())
      for (const path of paths.slice(i % 2, (i % 2) + 4)) {
        const query = names.map((name) => `${name}=${value}`).join("&");
        await page.goto(`${path}?${query}`);
        await heading(page).waitFor();
        expect((await page.getByRole("main").innerText()).trim()).not.toBe("");
      }
    await page.context().close();
  });

  it("is not shown in a frame of another site", async () => {
    const page = await dashboard.browser.open();
    await page.route(FOREIGN_SITE, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<iframe src="${dashboard.controlPlane.url}/sign-in"></iframe>`,
      }),
    );
    await page.goto(FOREIGN_SITE);
    await expect
      .poll(() => page.frames().map((frame) => frame.url()))
      .toContain("chrome-error://chromewebdata/");
    await page.context().close();
  });
});
