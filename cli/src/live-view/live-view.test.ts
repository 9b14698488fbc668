import { createApiClient } from "@svc/contract";
import { expect, it } from "vitest";
import { fakeService, runSvc } from "../../test-support/run-svc.ts";
import { aCheck, aHealth } from "../../test-support/samples.ts";
import { LiveView } from "./live-view.ts";

type Answers = Parameters<typeof fakeService>[0];

function dashboardWith(more: Answers) {
  const answers = {
    "GET /api/checks": { checks: [aCheck("Home"), aCheck("Shop")] },
    "GET /api/checks/health": { checks: [aHealth("chk_home")] },
    ...more,
  };
  const service = fakeService(answers);
  const ends: unknown[] = [];
  const liveView = new LiveView({
    api: createApiClient({ baseUrl: "http://svc.test", fetch: service.fetch }),
    nowMs: () => 5,
    onEnd: (error) => ends.push(error),
  });
  return { liveView, ends, answers, requests: service.requests };
}
const failing = (status: number) => () => ({ status, body: { error: `answer ${status}` } });

it("after a failed reading the view stays and says why; the next successful one removes the message", async () => {
  const { liveView, answers, ends } = dashboardWith({});
  await liveView.refresh();
  const checks = answers["GET /api/checks"];
  answers["GET /api/checks"] = failing(503) as unknown as typeof checks;
  await liveView.refresh();
  expect(liveView.getState()).toMatchObject({ problem: "answer 503", readAtMs: 5 });
  expect(liveView.getState().monitors).toHaveLength(2);
  answers["GET /api/checks"] = checks;
  await liveView.refresh();
  expect([liveView.getState().problem, ends]).toEqual([undefined, []]);
});

it("an answer of an unexpected shape is shown as a problem, and the view goes on", async () => {
  const { liveView, ends } = dashboardWith({ "GET /api/checks": {} as { checks: never } });
  await liveView.refresh();
  expect([liveView.getState().problem, ends]).toEqual([expect.any(String), []]);
});

it("a refused key ends it", async () => {
  const { liveView, ends } = dashboardWith({ "GET /api/checks": failing(401) });
  await liveView.refresh();
  expect(ends).toEqual([expect.objectContaining({ status: 401 })]);
});

it("refreshing while it reads does not read twice", async () => {
  const { liveView, requests } = dashboardWith({});
  await Promise.all([liveView.refresh(), liveView.refresh()]);
  liveView.press({ name: "char", char: "r" });
  await liveView.refresh();
  expect(requests.filter(({ route }) => route === "GET /api/checks")).toHaveLength(2);
});

it("a monitor opened while it reads is read next", async () => {
  const { liveView } = dashboardWith({ "GET /api/checks/chk_shop": { check: aCheck("Shop"), results: [] } });
  await liveView.refresh();
  const reading = liveView.refresh();
  liveView.press({ name: "enter" });
  await reading;
  expect(liveView.getState().detail?.check.name).toBe("Shop");
});

it("an opened monitor that someone deleted leads back to the list", async () => {
  const { liveView, ends } = dashboardWith({ "GET /api/checks/chk_home": failing(404) });
  await liveView.refresh();
  liveView.press({ name: "enter" });
  await liveView.refresh();
  expect([liveView.getState().mode, ends]).toEqual(["list", []]);
});

it.each([
  [["--json"], "no --json mode"],
  [[], "needs a terminal"],
  [["--interval", "1s"], "from 5s to 1h"],
])("liveView %j without a terminal is refused", async (args, message) => {
  const { code, stdout, stderr } = await runSvc(["dashboard", ...args], { env: { SVC_API_KEY: "sk_test" } });
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(message)]);
});
