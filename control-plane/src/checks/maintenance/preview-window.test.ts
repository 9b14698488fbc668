import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  createMaintenanceTest,
  type MaintenanceTest,
  WINDOWS_PATH,
} from "../../../test-support/maintenance-test.ts";

let test: MaintenanceTest;
beforeAll(async () => {
  test = await createMaintenanceTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const preview = (body: Record<string, unknown>) => test.call("POST", `${WINDOWS_PATH}/preview`, body);
/** A night in Berlin on which the clocks go forward: 02:30 does not exist there. */
const NIGHTLY = {
  startsAt: "2027-03-26T02:30",
  endsAt: "2027-03-26T04:00",
  recurring: true,
  recurrenceRule: "FREQ=DAILY",
  timezone: "Europe/Berlin",
};

it("the next ten occurrences stand at one time of the day over a change of the clocks; nothing is stored", async () => {
  const { status, body } = await preview(NIGHTLY);
  expect(status).toBe(200);
  expect(body.occurrences).toHaveLength(10);
  const times = body.occurrences.map(({ startsAt }: { startsAt: string }) => startsAt.slice(11, 16));
  expect(times.slice(0, 2)).toEqual(["01:30", "01:30"]);
  expect(times.slice(3)).toEqual(Array(7).fill("00:30"));
  expect((await test.call("GET", WINDOWS_PATH)).body.maintenanceWindows).toEqual([]);
  const created = await test.create(NIGHTLY);
  expect(created.nextStartsAt).toBe(body.occurrences[0].startsAt);
});

it("a window that occurs seldom is looked for further ahead, one that occurs once has one", async () => {
  const monthly = { ...NIGHTLY, recurrenceRule: "FREQ=MONTHLY;BYMONTHDAY=1" };
  expect((await preview(monthly)).body.occurrences.length).toBeGreaterThan(9);
  const { recurring: _recurring, recurrenceRule: _rule, ...once } = NIGHTLY;
  expect((await preview(once)).body.occurrences).toEqual([
    { startsAt: "2027-03-26T01:30:00.000Z", endsAt: "2027-03-26T03:00:00.000Z" },
  ]);
});

it.each([
  [{ ...NIGHTLY, endsAt: "2027-03-26T01:00" }, "endsAt"],
  [{ ...NIGHTLY, recurrenceRule: "FREQ=NEVER" }, "recurrenceRule"],
  [{ ...NIGHTLY, timezone: "Mars/Olympus" }, "timezone"],
])("%j is refused as its creation would be", async (window, field) => {
  const { status, body } = await preview(window);
  expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
});
