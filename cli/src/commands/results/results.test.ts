import { expect, it } from "vitest";
import { type RunOptions, runSvc } from "../../../test-support/run-svc.ts";
import { aCheck, aResult } from "../../../test-support/samples.ts";

type Sample = ReturnType<typeof aResult>;

/** Runs it with a service that has these results, newest first; `pages` are the windows it asked for. */
async function results(args: string[], all: Sample[], options: RunOptions & { answers?: Response[] } = {}) {
  const pages: string[] = [];
  const fetch = async (input: unknown) => {
    const { pathname, searchParams } = new URL(String(input));
    if (pathname === "/api/checks") return Response.json({ checks: [aCheck("Home")] });
    if (pathname !== "/api/checks/chk_home/results") {
      const result = all.find(({ id }) => pathname.endsWith(`/${id}`));
      return result ? Response.json({ result }) : Response.json({ error: "Not found" }, { status: 404 });
    }
    const prepared = pages.length > 0 ? options.answers?.shift() : undefined;
    const [limit, offset] = [Number(searchParams.get("limit")), Number(searchParams.get("offset"))];
    const [status, from] = [searchParams.get("status"), searchParams.get("from")];
    pages.push([`${offset}+${limit}`, status, from].filter((part) => part !== null).join(" "));
    const found = all.filter(
      (result) =>
        (status === null || result.status === status) && (from === null || result.startedAt >= from),
    );
    return prepared ?? Response.json({ results: found.slice(offset, offset + limit), limit, offset });
  };
  const ran = await runSvc(["results", ...args], { env: { SVC_API_KEY: "sk_test" }, fetch, ...options });
  return { ...ran, pages, ids: () => ran.json().data.results.map(({ id }: Sample) => id) };
}

const many = Array.from({ length: 450 }, (_, i) =>
  aResult(`res_${i}`, i * 60, { status: i % 100 === 99 ? "timeout" : "success" }),
);

it("a page is the service's", async () => {
  const ran = await results(["list", "Home", "--limit", "3", "--offset", "200", "--json"], many);
  expect([ran.code, ran.pages, ran.ids()]).toEqual([0, ["200+3"], ["res_200", "res_201", "res_202"]]);
});

it("status and age are filtered by the service, in one request", async () => {
  const rare = await results(["list", "Home", "--status", "timeout", "--limit", "2", "--json"], many);
  expect([rare.ids(), rare.pages]).toEqual([["res_99", "res_199"], ["0+2 timeout"]]);
  const young = await results(["list", "Home", "--since", "10m", "--limit", "200", "--json"], many);
  expect([young.ids().length, young.pages]).toEqual([11, ["0+200 2026-06-01T11:50:00.000Z"]]);
});

it.each([
  [["--offset", "1", "--status", "failure"], "can't be combined"],
  [["--offset", "1", "--since", "1h"], "can't be combined"],
  [["--status", "down"], "success, failure, error, timeout"],
  [["--since", "yesterday"], "for example 1h"],
  [["--limit", "201"], "from 1 to 200"],
])("list refuses %j", async (args, message) => {
  const { code, stderr, pages } = await results(["list", "Home", ...args], many);
  expect([code, pages]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("get shows timing, assertions and evidence, and nothing in them acts on the terminal", async () => {
  const result = aResult("res_a", 60, {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: "expected 200\u001b[2J",
    timing: { dnsLookupMs: 1.25, totalMs: 130 },
    notes: ["redirected\n::error::twice"],
    assertions: [{ type: "status_code", passed: false, message: "expected 200, got 503" }],
    consoleLogsJson: [{ level: "error", text: "boom" }],
  });
  const { code, stdout } = await results(["get", "Home", "res_a"], [result]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/DNS: +1.3 ms/);
  expect(stdout).toContain("failed status_code: expected 200, got 503");
  expect(stdout).toMatch(/Console logs\n[\s\S]*boom/);
  expect(stdout).not.toContain("\u001b[2J");
  expect(stdout).not.toMatch(/^::error/m);
});

it("get of a success that kept no assertions shows the last kept ones with their instant", async () => {
  const startedAt = "2026-06-01T11:00:00.000Z";
  const assertions = [{ type: "status_code", passed: true, expected: 200, actual: 200 }];
  const keptAssertions = { resultId: "res_0", startedAt, assertions };
  const result = aResult("res_a", 60, { assertions: null, keptAssertions });
  const { stdout } = await results(["get", "Home", "res_a"], [result]);
  expect(stdout).toMatch(/Assertions of the run of 2026-06-01T11:00:00.000Z\n +passed status_code/);
});

it("get of a result that is not there says so", async () => {
  const { code, stderr } = await results(["get", "Home", "res_no"], []);
  expect([code, stderr]).toEqual([1, "error: Not found\n"]);
});

/** Follows; `between[i]` happens in the i-th wait, Ctrl+C after the last. */
function tail(args: string[], all: Sample[], between: (() => void)[], answers?: Response[]) {
  const controller = new AbortController();
  const wait = () => {
    between.shift()?.();
    if (between.length === 0) controller.abort();
  };
  const options = { wait, interrupted: controller.signal, ...(answers ? { answers } : {}) };
  return results(["tail", "Home", ...args], all, options);
}

it("tail writes each new result once, oldest first, and none from before; Ctrl+C is its way out", async () => {
  const all = [aResult("res_old", 90)];
  const { code, stdout } = await tail(["--json"], all, [
    () => all.unshift(aResult("res_2", 20), aResult("res_1", 30)),
    () => {},
    () => all.unshift(aResult("res_3", 10)),
    () => {},
  ]);
  const ids = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  expect([code, ids]).toEqual([0, ["res_1", "res_2", "res_3"]]);
});

it("tail goes on after an answer of a broken or busy service, and says so once", async () => {
  const all = [aResult("res_old", 90)];
  const broken = [502, 429].map((status) => new Response("<html>", { status }));
  const add = () => all.unshift(aResult("res_1", 30));
  const { code, stdout, stderr } = await tail([], all, [() => {}, add, () => {}, () => {}], broken);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2026-06-01T11:59:30.000Z {2}success {2}loc_us_east {2}200 {2}120 ms\n$/);
  expect(stderr.match(/trying again/g)).toHaveLength(1);
  expect(stderr).toContain("answers again");
});

it("tail goes on after an answer of broken JSON", async () => {
  const all = [aResult("res_old", 90)];
  const broken = [new Response("{", { headers: { "Content-Type": "application/json" } })];
  const add = () => all.unshift(aResult("res_1", 30));
  const { code, stdout, stderr } = await tail([], all, [() => {}, add, () => {}], broken);
  expect([code, stdout.split("\n").length]).toEqual([0, 2]);
  expect(stderr.match(/trying again/g)).toHaveLength(1);
});

it("tail ends when the monitor is deleted", async () => {
  const gone = [Response.json({ error: "Check not found" }, { status: 404 })];
  const { code, stderr } = await tail([], [aResult("res_old", 90)], [() => {}, () => {}], gone);
  expect(code).toBe(1);
  expect(stderr).toContain("Check not found");
});
