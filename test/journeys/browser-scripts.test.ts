import https from "node:https";
import type { RunResult } from "@svc/probes";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import {
  hasSandbox,
  linesOf,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";
import { type Site, startSite } from "../harness/site.ts";

let runtime: BrowserRuntime;
let site: Site;

beforeAll(async () => {
  if (!hasSandbox) return;
  runtime = openBrowserRuntime();
  site = await startSite((request, response) => {
    response.setHeader("content-type", "text/html");
    response.setHeader("set-cookie", `seen=${request.url?.slice(1)}`);
    response.end(
      `<title>Shop</title><p>${request.headers["user-agent"]}; ${request.headers.cookie ?? "no cookie"}`,
    );
  });
});

afterAll(async () => {
  if (!hasSandbox) return;
  await runtime.close();
  site.close();
});

/** Runs a script; SITE is where the site is. */
async function run(script: string, config: Record<string, unknown> = {}): Promise<RunResult> {
  const withImports = `import { test, expect } from "@playwright/test";\nconst SITE = ${JSON.stringify(site.url)};\n${script}`;
  return resultOf(
    await runBrowserCheck(runtime, { browserMode: "scripted", script: withImports, ...config }),
  );
}

const said = (result: RunResult) => linesOf(result, "script");
const stepsOf = (result: RunResult) =>
  (result.detail?.steps ?? []).map(({ name, status }) => `${name}: ${status}`);

describe.runIf(hasSandbox)(`a script that fails${SANDBOX_ADVICE}`, () => {
  it.each<[string, string, number | undefined]>([
    [
      "an expectation",
      "\n// waits\n\nawait page.goto(SITE);\nawait expect(page).toHaveTitle(/Bank/, { timeout: 100 });",
      7,
    ],
    ["a locator's time", 'await page.goto(SITE);\nawait page.click("#none", { timeout: 100 });', 4],
    ["a thrown error in a function", "function fail(): never {\n  throw new Error('no');\n}\n\nfail();", 4],
    ["a soft expectation", "await page.goto(SITE);\n\nexpect.soft(await page.title()).toBe('Bank');\n", 5],
    [
      "a test",
      "// two\ntest('a', async ({ page }) => {\n  // @step: Open\n  await page.goto(SITE);\n  expect(1).toBe(2);\n});",
      7,
    ],
    ["a text that can't be compiled", "\nconst a = ;", 4],
    ["a thrown text", "throw 'no';", undefined],
    ["its time", "await new Promise(() => {});", undefined],
  ])("says which line it was: %s", async (_, script, line) => {
    const result = await run(script, { timeoutMs: 5_000 });
    expect([result.status === "success", result.detail?.scriptLine]).toEqual([false, line]);
  });
});

describe.runIf(hasSandbox)(`a script's tests${SANDBOX_ADVICE}`, () => {
  it("run their hooks as Playwright does: those of a group once around its tests, the others around each", async () => {
    const result = await run(`
      const say = (text) => async () => console.log(text);
      for (const hook of ["beforeAll", "beforeEach", "afterEach", "afterAll"]) test[hook](say(hook));
      test.afterEach(say("second afterEach"));
      test("first", say("first"));
      test.describe("group", () => {
        for (const hook of ["afterAll", "afterEach", "beforeEach", "beforeAll"]) test[hook](say("group's " + hook));
        test("second", say("second"));
        test("third", say("third"));
      });
      test("fourth", say("fourth"));`);
    const around = (name: string) => ["beforeEach", name, "afterEach", "second afterEach"];
    const inGroup = (name: string) => [
      "beforeEach",
      "group's beforeEach",
      name,
      "group's afterEach",
      "afterEach",
      "second afterEach",
    ];
    expect(said(result)).toEqual([
      "beforeAll",
      ...around("first"),
      "group's beforeAll",
      ...inGroup("second"),
      ...inGroup("third"),
      "group's afterAll",
      ...around("fourth"),
      "afterAll",
    ]);
    expect(result.status).toBe("success");
    expect(stepsOf(result)).toEqual([
      "first: success",
      "group › second: success",
      "group › third: success",
      "fourth: success",
    ]);
  });

  it("that fail still have their hooks run after them and keep no other from running; the first failure counts", async () => {
    const result = await run(`
      test.afterEach(async ({}, info) => console.log("after", info.title, info.status));
      test.afterAll(async () => console.log("afterAll"));
      test("one", async ({ page }) => { await page.goto(SITE); expect(await page.title()).toBe("Bank"); });
      test("two", async () => {});
      test("three", async () => { throw new Error("no way"); });`);
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(result.detail?.errorMessage).toContain("Bank");
    expect(said(result)).toEqual(["after one failed", "after two passed", "after three failed", "afterAll"]);
    expect(stepsOf(result)).toEqual(["one: failure", "two: success", "three: error"]);
    expect(result.detail?.notes).toEqual(["also failed: three: no way"]);
  });

  it("clean up after themselves also when the run's time is up", async () => {
    const result = await run(
      `test.afterEach(async ({ page }) => console.log("after", await page.title()));
       test.afterAll(async () => console.log("afterAll"));
       test("hangs", async ({ page }) => { await page.goto(SITE); await new Promise(() => {}); });
       test("never", async () => {});`,
      { timeoutMs: 5_000 },
    );
    expect(result.status).toBe("timeout");
    expect(result.detail?.errorMessage).toBe('the script did not end within 5000 ms in step "hangs"');
    expect(said(result)).toEqual(["after Shop", "afterAll"]);
    expect(result.detail?.notes).toEqual(["tests that were not run: never"]);
  });

  it("are not run when their beforeAll fails, nor in a serial group after one that failed; afterAll is", async () => {
    const result = await run(`
      test.describe("broken", () => {
        test.beforeAll(async ({ page }) => {});
        test.afterAll(async () => console.log("cleaned"));
        test("a", async () => {});
        test.describe("inner", () => { test("b", async () => {}); });
      });
      test.describe.serial("in turn", () => {
        test("c", async () => { throw new Error("broken"); });
        test("d", async () => {});
      });
      test("e", async () => console.log("e"));`);
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "script" } });
    expect(result.detail?.errorMessage).toContain('"page" is not there in beforeAll');
    expect(said(result)).toEqual(["cleaned", "e"]);
    expect(stepsOf(result)).toEqual(["beforeAll: error", "in turn › c: error", "e: success"]);
    expect(result.detail?.notes).toEqual([
      "also failed: in turn › c: broken",
      "tests that were not run: broken › a, broken › inner › b, in turn › d",
    ]);
  });

  it("have a page and cookies of their own, and share what beforeAll made with the browser", async () => {
    const result = await run(`
      let shared;
      test.beforeAll(async ({ browser }) => { shared = await browser.newPage(); await shared.goto(SITE + "shared"); });
      const text = (page) => page.evaluate(() => document.querySelector("p").innerText);
      test("one", async ({ page }) => { await page.goto(SITE + "one"); await page.reload(); console.log(await text(page)); });
      test.describe("as a robot", () => {
        test.use({ userAgent: "robot", actionTimeout: 100, video: "on", baseURL: SITE });
        test("two", async ({ page, baseURL }) => {
          await page.goto("/two");
          console.log(await text(page), baseURL === SITE);
          await page.locator("#none").click().catch((error) => console.log(error.message.split("\\n")[0]));
        });
      });
      test("three", async () => { await shared.reload(); console.log((await text(shared)).split("; ").at(-1)); });`);
    expect(result.detail?.errorMessage).toBeUndefined();
    const [one, ...others] = said(result);
    expect(one).toMatch(/; seen=one$/);
    expect(others).toEqual([
      "robot; no cookie true",
      // On a busy machine the time is up before Playwright has begun the click, and the message does not name it.
      expect.stringMatching(/^(locator\.click: )?Timeout 100ms exceeded\.$/),
      "seen=shared",
    ]);
    const paths = result.detail?.networkRequestsJson?.map(({ url }) => new URL(url).pathname);
    expect(paths).toEqual(["/shared", "/one", "/one", "/two", "/shared"]);
  });

  it("can be skipped, focused, expected to fail and limited in time", async () => {
    const declared = (name: string) => `async () => console.log("${name}")`;
    const result = await run(`
      test.skip("never", ${declared("never")});
      test.fixme("later", ${declared("later")});
      test.describe.skip("group", () => { test("in it", ${declared("in it")}); });
      test("by condition", async ({ browserName }) => { test.skip(browserName === "chromium", "not here"); console.log("no"); });
      test.describe(() => {
        test.skip(({ browserName }) => browserName === "chromium", "nor here");
        test("of a group", ${declared("of a group")});
      });
      test.fail("has to fail", async () => { throw new Error("as it should"); });
      test("short", async () => { test.setTimeout(200); await new Promise(() => {}); });
      test("last", ${declared("last")});`);
    expect(said(result)).toEqual(["last"]);
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toBe('test "short" did not end within its 200 ms');
    expect(result.detail?.notes).toEqual([
      "skipped: by condition: not here",
      "skipped: of a group: nor here",
    ]);
    const focused = await run(`
      test("a", ${declared("a")});
      test.describe.only("b", () => { test("c", ${declared("c")}); test.only("d", ${declared("d")}); });
      test.describe.only("e", () => { test("f", ${declared("f")}); });`);
    expect(said(focused)).toEqual(["d", "f"]);
    const none = await run(`test.skip("a", ${declared("a")});`);
    expect(none.detail?.errorMessage).toBe("the script declares no test that is not skipped");
  });

  it("go on after a soft assertion, and fail at their end", async () => {
    const result = await run(`
      test("soft", async ({ page }) => {
        await page.goto(SITE);
        // @step: Look
        expect.soft(1 + 1).toBe(3);
        await expect.soft(page).toHaveTitle("Bank", { timeout: 100 });
        // @step: Go on
        expect.configure({ soft: true })(1).not.toBe(1);
        console.log("went on");
      });`);
    expect(said(result)).toEqual(["went on"]);
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(result.detail?.errorMessage).toContain("Expected: 3");
    expect(stepsOf(result)).toEqual(["Look: failure", "Go on: failure"]);
  });

  it("have steps within steps, and say which one failed", async () => {
    const result = await run(`
      test("steps", async () => {
        const value = await test.step("outer", async () => {
          await test.step("inner", async () => {});
          await Promise.all([test.step("left", async () => {}), test.step("right", async () => {})]);
          return 7;
        });
        await test.step("caught", async () => { throw new Error("no"); }).catch(() => {});
        await test.step("broken", async () => { await test.step("deep", () => expect(value).toBe(8)); });
      });`);
    expect(stepsOf(result)).toEqual([
      "outer: success",
      "inner: success",
      "left: success",
      "right: success",
      "caught: error",
      "broken: failure",
      "deep: failure",
      "steps: failure",
    ]);
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
  });

  it("end on a document whose certificate a step can be judged by", async () => {
    const authority = await anAuthority();
    const certificate = await authority.issue({ validToDays: 20 });
    const secure = await startSite(
      https.createServer(certificate, (_request, response) => response.end("Shop")),
    );
    try {
      const url = `https://127.0.0.1:${secure.port}/`;
      const result = await run(
        `test.use({ ignoreHTTPSErrors: true });
         test("shop", async ({ page }) => {
           // @step: Secure
           await page.goto("${url}");
           // @step: Plain
           await page.goto(SITE);
         });`,
        {
          steps: [
            {
              name: "Secure",
              assertions: [14, 30].map((days) => ({ type: "ssl_expiry", daysBeforeExpiry: days })),
            },
            { name: "Plain", assertions: [{ type: "ssl_expiry" }] },
          ],
        },
      );
      expect(result.detail?.assertions?.map(({ passed, actual }) => [passed, actual])).toEqual([
        [true, 19.9],
        [false, 19.9],
        [false, null],
      ]);
    } finally {
      secure.close();
    }
  });

  it("fail by what is thrown where nobody waits for it, with its message", async () => {
    const result = await run(`
      test("floating", async () => {
        void Promise.reject(new Error("nobody waits for me"));
        await new Promise((resolve) => setTimeout(resolve, 5_000));
      });`);
    expect(result).toMatchObject({ status: "error", detail: { errorMessage: "nobody waits for me" } });
  });
});
