import { ApiClient } from "@svc/contract";
import { expect, it } from "vitest";
import { fakeService, runSvc } from "../../test-support/run-svc.ts";
import { aCheck, aHealth } from "../../test-support/samples.ts";
import { Dashboard } from "./live-view.ts";

type Answers = Parameters<typeof fakeService>[0];

function dashboardWith(more: Answers) {
  const answers = {
    "GET /api/checks": { checks: [aCheck("Home"), aCheck("Shop")] },
    "GET /api/checks/health": { checks: [aHealth("chk_home")] },
    ...more,
  };
  const service = fakeService(answers);
  const ends: unknown[] = [];
  const dashboard = new Dashboard({
    api: new ApiClient({ baseUrl: "http://svc.test", fetch: service.fetch }),
    nowMs: () => 5,
    onEnd: (error) => ends.push(error),
  });
  return { dashboard, ends, answers, requests: service.requests };
}
const failing = (status: number) => () => ({ status, body: { error: `answer ${status}` } });

it("a failed reading keeps what is shown and says why; the next good one takes that back", async () => {
  const { dashboard, answers, ends } = dashboardWith({});
  await dashboard.refresh();
  const checks = answers["GET /api/checks"];
  answers["GET /api/checks"] = failing(503) as unknown as typeof checks;
  await dashboard.refresh();
  expect(dashboard.getState()).toMatchObject({ problem: "answer 503", readAtMs: 5 });
  expect(dashboard.getState().monitors).toHaveLength(2);
  answers["GET /api/checks"] = checks;
  await dashboard.refresh();
  expect([dashboard.getState().problem, ends]).toEqual([undefined, []]);
});

it("a refused key ends it", async () => {
  const { dashboard, ends } = dashboardWith({ "GET /api/checks": failing(401) });
  await dashboard.refresh();
  expect(ends).toEqual([expect.objectContaining({ status: 401 })]);
});

it("refreshing while it reads does not read twice", async () => {
  const { dashboard, requests } = dashboardWith({});
  await Promise.all([dashboard.refresh(), dashboard.refresh()]);
  dashboard.press({ name: "char", char: "r" });
  await dashboard.refresh();
  expect(requests.filter(({ route }) => route === "GET /api/checks")).toHaveLength(2);
});

it("a monitor opened while it reads is read next", async () => {
  const { dashboard } = dashboardWith({ "GET /api/checks/chk_shop": { check: aCheck("Shop"), results: [] } });
  await dashboard.refresh();
  const reading = dashboard.refresh();
  dashboard.press({ name: "enter" });
  await reading;
  expect(dashboard.getState().detail?.check.name).toBe("Shop");
});

it("an opened monitor that someone deleted leads back to the list", async () => {
  const { dashboard, ends } = dashboardWith({ "GET /api/checks/chk_home": failing(404) });
  await dashboard.refresh();
  dashboard.press({ name: "enter" });
  await dashboard.refresh();
  expect([dashboard.getState().mode, ends]).toEqual(["list", []]);
});

it.each([
  [["--json"], "no --json mode"],
  [[], "needs a terminal"],
  [["--interval", "1s"], "from 5s to 1h"],
])("dashboard %j without a terminal is refused", async (args, message) => {
  const { code, stdout, stderr } = await runSvc(["dashboard", ...args], { env: { SVC_API_KEY: "sk_test" } });
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(message)]);
});
