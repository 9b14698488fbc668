import { expect, it } from "vitest";
import { fakeService, type RunOptions, runSvc } from "../../test-support/run-svc.ts";
import { aCheck, aHealth } from "../../test-support/samples.ts";

const KEY = { SVC_API_KEY: "sk_test" };
const BAD = { health: "unhealthy", failingLocations: ["loc_us_east"] };

function serviceWith(healths: unknown[], checks = [aCheck("Home"), aCheck("Shop")]) {
  return fakeService({ "GET /api/checks": { checks }, "GET /api/checks/health": { checks: healths } });
}

function status(args: string[], healths: unknown[], options: RunOptions = {}) {
  return runSvc(["status", ...args], { env: KEY, fetch: serviceWith(healths).fetch, ...options });
}

/** Ctrl+C once the command waited so often; `between` happens while it waits. */
function interruptAfter(waits: number, between: (wait: number, ms: number) => void = () => {}) {
  const controller = new AbortController();
  let waited = 0;
  return {
    interrupted: controller.signal,
    wait: (ms: number) => {
      between(++waited, ms);
      if (waited >= waits) controller.abort();
    },
  };
}

it.each([
  ["all healthy", [aHealth("chk_home"), aHealth("chk_shop")], 0],
  ["one unhealthy", [aHealth("chk_home"), aHealth("chk_shop", BAD)], 10],
  ["no result yet", [], 0],
])("the exit code says whether a monitor is unhealthy: %s", async (_title, healths, code) => {
  const ran = await status(["--json"], healths);
  expect([ran.code, ran.json().ok]).toEqual([code, true]);
  expect(ran.json().data.summary.total).toBe(2);
});

it("a paused monitor is not unhealthy", async () => {
  const { fetch } = serviceWith([aHealth("chk_home", BAD)], [aCheck("Home", { enabled: false })]);
  const ran = await runSvc(["status", "--json"], { env: KEY, fetch });
  expect([ran.code, ran.json().data.summary]).toEqual([
    0,
    { total: 1, healthy: 0, unhealthy: 0, unknown: 0, paused: 1 },
  ]);
});

it("a snapshot in a pipe begins with the time at which it was taken", async () => {
  const { stdout } = await status([], [aHealth("chk_home"), aHealth("chk_shop", BAD)]);
  expect(stdout.split("\n")[0]).toBe("2026-06-01T12:00:00.000Z");
  expect(stdout).toMatch(/unhealthy +Shop +enabled +http +1m +█✗ +loc_us_east/);
  expect(stdout).toContain("1 healthy, 1 unhealthy, 0 unknown, 0 paused");
});

it("the list fits a narrow terminal", async () => {
  const checks = [aCheck("A monitor with a name that is much longer than a terminal is wide, as happens")];
  const { fetch } = serviceWith([], checks);
  const { stdout } = await runSvc(["status", "--no-color"], { env: KEY, fetch, isTty: true, columns: 60 });
  expect(Math.max(...stdout.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(60);
});

it("more monitors than a page are asked for page by page, not one by one", async () => {
  const checks = Array.from({ length: 450 }, (_, i) => aCheck(`m ${i}`));
  const cursors: string[] = [];
  const fetch = async (input: unknown) => {
    const { pathname, searchParams } = new URL(String(input));
    if (pathname === "/api/checks") return Response.json({ checks });
    cursors.push(searchParams.get("cursor") ?? "");
    const from = Number(searchParams.get("cursor"));
    const page = checks.slice(from, from + 200).map(({ id }) => aHealth(id));
    return Response.json({
      checks: page,
      ...(from + 200 < checks.length && { nextCursor: `${from + 200}` }),
    });
  };
  const { json } = await runSvc(["status", "--json"], { env: KEY, fetch });
  expect([json().data.summary.healthy, cursors]).toEqual([450, ["", "200", "400"]]);
});

it("--watch --json writes one object per cycle; the exit code after Ctrl+C is that of the last one", async () => {
  const healths = [aHealth("chk_home"), aHealth("chk_shop")];
  const waits: number[] = [];
  const stop = interruptAfter(2, (_, ms) => {
    waits.push(ms);
    healths[1] = aHealth("chk_shop", BAD);
  });
  const { code, stdout, stderr } = await status(["--watch", "--interval", "5s", "--json"], healths, stop);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).summary.unhealthy)).toEqual([0, 1]);
  expect([code, stderr, waits]).toEqual([10, "", [5000, 5000]]);
});

it("--watch goes on when the service is away for a while, and ends when the key is refused", async () => {
  let asked = 0;
  const fetch = async (input: unknown) => {
    if (new URL(String(input)).pathname !== "/api/checks") return Response.json({ checks: [] });
    asked++;
    if (asked === 2) return Response.json({ error: "Internal error" }, { status: 500 });
    if (asked === 3) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
    if (asked === 4) return Response.json({ error: "Unauthorized" }, { status: 401 });
    return Response.json({ checks: [aCheck("Home")] });
  };
  const { code, stdout, stderr } = await runSvc(["status", "--watch"], { env: KEY, fetch });
  expect([code, asked, stdout.match(/Home/g)?.length]).toEqual([2, 4, 1]);
  expect(stderr.match(/trying again/g)).toHaveLength(2);
  expect(stderr).toContain("Unauthorized");
});

it("--watch goes on after an answer of broken JSON", async () => {
  let asked = 0;
  const fetch = async (input: unknown) => {
    if (new URL(String(input)).pathname !== "/api/checks") return Response.json({ checks: [] });
    asked++;
    if (asked === 1) return new Response("{", { headers: { "Content-Type": "application/json" } });
    if (asked === 3) return Response.json({ error: "Unauthorized" }, { status: 401 });
    return Response.json({ checks: [aCheck("Home")] });
  };
  const { code, stdout, stderr } = await runSvc(["status", "--watch"], { env: KEY, fetch });
  expect([code, asked, stdout.match(/Home/g)?.length]).toEqual([2, 3, 1]);
  expect(stderr.match(/trying again/g)).toHaveLength(1);
});

it.each(["4s", "61m", "soon", "-1"])("refuses an interval of %s", async (interval) => {
  const { code, stderr } = await status(["--watch", "--interval", interval], []);
  expect(code).toBe(1);
  expect(stderr).toContain("from 5s to 1h");
});

it("refuses an interval without --watch, which would do nothing", async () => {
  const { code, stderr } = await status(["--interval", "10s"], []);
  expect([code, stderr]).toEqual([1, expect.stringContaining("--interval needs --watch")]);
});
