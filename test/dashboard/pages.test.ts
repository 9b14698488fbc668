/** Every page of the dashboard: reached, named, accessible in both themes, wide and narrow, and served under its policy. */
import { pages } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";

/** Pages that show no single record. */
const WITHOUT_PARAMETERS = Object.values(pages).filter(({ path }) => !path.includes(":"));

const dashboard = setUpDashboardTests({ withoutRunner: true, refusals: [400, 404] });

describe.runIf(hasBrowser)(`the pages${BROWSER_ADVICE}`, () => {
  it("are all reached from the navigation, with one heading that has the focus, and a title", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    const navigation = page.getByRole("navigation", { name: "Main" });
    const [first = "", ...others] = await navigation.getByRole("link").allTextContents();
    // The first is the page that is open.
    for (const name of [...others.filter((one) => one !== "API reference"), first]) {
      await navigation.getByRole("link", { name, exact: true }).click();
      const heading = page.getByRole("heading", { level: 1 });
      if (name !== "Overview") await heading.filter({ hasText: name }).waitFor();
      expect([name, await heading.count()]).toEqual([name, 1]);
      await expect.poll(() => page.evaluate(`document.activeElement.localName`)).toBe("h1");
      await expect.poll(() => page.title()).toMatch(/ - svc$/);
    }
    await page.context().close();
  });

  it("that do not exist say so, with the status 404", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    expect((await page.goto("/no-such-page"))?.status()).toBe(404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.goto("/checks/chk_01h455vb4pex5vsknk084sn02q");
    await page.getByRole("heading", { name: "Check not found" }).waitFor();
    await page.goto("/incidents/nonsense");
    await page.getByRole("heading", { name: "Incident not found" }).waitFor();
    await page.context().close();
  });

  it("fit a narrow screen with each word about the connection for live updates", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 320, height: 640 } });
    await signIn(page);
    await page.goto(pages.newLocation.path);
    await page.getByRole("status", { name: "Connection" }).waitFor();
    // In one turn with the measurement, before the page shows its own word again.
    for (const words of ["Connecting", "Reconnecting", "Not live since 23:59:59"])
      expect([
        words,
        await page.evaluate(
          `document.querySelector("[aria-label=Connection]").textContent = ${JSON.stringify(words)}, document.documentElement.scrollWidth - innerWidth`,
        ),
      ]).toEqual([words, 0]);
    await page.context().close();
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`are accessible and fit a narrow screen, ${colorScheme}`, async () => {
      const page = await dashboard.browser.open({ colorScheme, viewport: { width: 320, height: 640 } });
      await page.goto(pages.signIn.path);
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await signIn(page);
      for (const { path } of WITHOUT_PARAMETERS.filter((one) => one !== pages.signIn)) {
        await page.goto(path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        const overflow = await page.evaluate(`document.documentElement.scrollWidth - innerWidth`);
        expect([path, overflow]).toEqual([path, 0]);
      }
      await page.context().close();
    });
});

describe("the dashboard's files", () => {
  it("come under a policy that allows nothing inline and nothing of others, compressed, and for good when they have a hash", async () => {
    const page = await fetch(dashboard.controlPlane.url, { headers: { accept: "text/html" } });
    const html = await page.text();
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(html.length).toBeLessThan(2_048);
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
    expect(files.length).toBeGreaterThan(1);
    for (const path of ["/", ...files]) {
      const { headers, status } = await dashboard.controlPlane.fetch(path, {
        headers: { "accept-encoding": "br" },
      });
      const policy = headers.get("content-security-policy") ?? "";
      expect([
        path,
        status,
        policy.includes("default-src 'none'; script-src 'self'; style-src 'self'"),
      ]).toEqual([path, 200, true]);
      expect(policy).not.toMatch(/unsafe|data:|\*/);
      if (path === "/") continue;
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      // What fits into one packet gains nothing from being compressed.
      if (Number(headers.get("content-length")) > 1_024)
        expect([path, headers.get("content-encoding")]).toEqual([path, "br"]);
    }
  });

  it("of a first visit are small", async () => {
    const html = await (await fetch(dashboard.controlPlane.url)).text();
    const bytesOf = async (kind: string) => {
      const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
      const sizes = paths
        .filter((path) => path.endsWith(kind))
        .map(async (path) => {
          const { headers } = await dashboard.controlPlane.fetch(path, {
            headers: { "accept-encoding": "gzip" },
          });
          return Number(headers.get("content-length"));
        });
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };
    expect(await bytesOf(".js")).toBeLessThan(140 * 1024);
    expect(await bytesOf(".css")).toBeLessThan(14 * 1024);
  });

  it("can't be left for others: an unknown path is a page to browsers only, and never under /api", async () => {
    const statusAndType = async (path: string, accept: string) => {
      const { status, headers } = await dashboard.controlPlane.fetch(path, { headers: { accept } });
      return [status, headers.get("content-type")];
    };
    expect(await statusAndType("/nope", "text/html")).toEqual([404, "text/html; charset=utf-8"]);
    expect(await statusAndType("/nope", "*/*")).toEqual([404, "application/json; charset=utf-8"]);
    expect(await statusAndType("/api/nope", "text/html")).toEqual([404, "application/json; charset=utf-8"]);
    expect((await statusAndType("/assets/..%2f..%2fmain.js", "*/*"))[0]).not.toBe(200);
    expect((await statusAndType("/assets/nope.js", "text/html"))[0]).toBe(404);
  });
});
