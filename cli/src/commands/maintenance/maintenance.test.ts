import { expect, it } from "vitest";
import { aCheck } from "../../../test-support/samples.ts";
import { svcWith } from "../../../test-support/svc-with.ts";

const window = {
  id: "mw_1",
  teamId: "team_1",
  name: "Patching",
  mode: "pause",
  checkIds: "all",
  startsAt: "2026-06-01T11:00:00.000Z",
  endsAt: "2026-06-01T13:00:00.000Z",
  recurring: false,
  recurrenceRule: null,
  timezone: "UTC",
  active: true,
  nextStartsAt: "2026-06-08T12:00:00.000Z",
  createdAt: "2026-05-01T00:00:00.000Z",
  updatedAt: null,
};
const POST = "POST /api/maintenance-windows";
const answers = {
  "GET /api/maintenance-windows": { maintenanceWindows: [window] },
  "GET /api/checks": { checks: [aCheck("Home"), aCheck("Shop")] },
  [POST]: { maintenanceWindow: window },
  "DELETE /api/maintenance-windows/mw_1": { success: true },
};
const svc = (...args: string[]) => svcWith(answers, ["maintenance", ...args]);
const bodyOf = async (...args: string[]) =>
  ((await svc("create", "W", ...args)).changes[0] as { body: unknown } | undefined)?.body;

it("lists and shows windows", async () => {
  expect((await svc("list")).stdout).toMatch(/Patching +active +pause +all +in 7d +- +mw_1/);
  expect((await svc("get", "patching", "--json")).json().data.maintenanceWindow).toEqual(window);
});

it("creates one that starts now and lasts a while, for monitors by name", async () => {
  expect(
    await bodyOf("--monitor", "home", "--monitor", "chk_shop", "--monitor", "Home", "--for", "2h"),
  ).toEqual({
    name: "W",
    mode: "pause",
    checkIds: ["chk_home", "chk_shop"],
    startsAt: "2026-06-01T12:00:00.000Z",
    endsAt: "2026-06-01T14:00:00.000Z",
  });
});

it.each([
  ["2026-12-06T02:00", "2026-12-06T03:30:00.000"],
  ["2026-12-06T02:00:00Z", "2026-12-06T03:30:00.000Z"],
  ["2026-12-06T02:00:00+02:00", "2026-12-06T01:30:00.000Z"],
])("a start of %s and a duration of 90m end at %s: wall time stays wall time", async (startsAt, endsAt) => {
  const repeat = ["--repeat", "FREQ=WEEKLY", "--timezone", "Europe/Berlin", "--mode", "continue"];
  expect(await bodyOf("--all", "--starts", startsAt, "--for", "90m", ...repeat)).toEqual({
    name: "W",
    mode: "continue",
    checkIds: "all",
    startsAt,
    endsAt,
    recurring: true,
    recurrenceRule: "FREQ=WEEKLY",
    timezone: "Europe/Berlin",
  });
});

it.each([
  [["--all"], "give --ends or --for"],
  [["--all", "--for", "1h", "--ends", "2026-06-02T00:00Z"], "give --ends or --for"],
  [["--for", "1h"], "give --monitor"],
  [["--all", "--monitor", "Home", "--for", "1h"], "give --monitor"],
  [["--all", "--ends", "tomorrow"], '--ends is "tomorrow"'],
  [["--monitor", "Hme", "--for", "1h"], 'did you mean "Home"?'],
])("create %j is refused and changes nothing", async (args, message) => {
  const { code, stderr, changes } = await svc("create", "W", ...args);
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("deletes only with --yes, and says when the window holds now", async () => {
  const asked = await svc("delete", "Patching");
  expect([asked.code, asked.changes]).toEqual([1, []]);
  expect(asked.stderr).toContain("which holds now");
  expect((await svc("delete", "Patching", "--yes")).changes).toEqual([
    "DELETE /api/maintenance-windows/mw_1",
  ]);
});
