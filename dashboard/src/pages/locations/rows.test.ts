import { expect, it } from "vitest";
import type { Location, Runner } from "../../api/queries/locations.ts";
import { rowsOf } from "./rows.ts";

const location = (id: string, type: Location["type"]) => ({ id, type, displayName: id }) as Location;
const runner = (locationId: string, status: Runner["status"], latenessP99Ms: number) =>
  ({ locationId, status, latenessP99Ms }) as Runner;

const LOCATIONS = [location("loc_a", "hosted"), location("loc_b", "hosted"), location("loc_c", "private")];

it("joins runners, checks and slots to their locations, private ones first, unused ones last", () => {
  const rows = rowsOf(LOCATIONS, {
    runners: [runner("loc_c", "online", 4), runner("loc_c", "draining", 9), runner("loc_c", "offline", 99)],
    checks: [
      { locations: ["loc_b", "loc_c"], locationsOf: [[0, 1], [1]] },
      { locations: ["loc_c"], locationsOf: [[0]] },
    ],
    coverage: {
      locations: [{ locationId: "loc_c", expected: 10, received: 7, missingCount: 3, missing: [] }],
    },
  });
  expect(rows).toEqual([
    {
      location: LOCATIONS[2],
      runners: { online: 2, all: 3, latenessP99Ms: 9 },
      checkCount: 3,
      slots: { expected: 10, missing: 3 },
    },
    { location: LOCATIONS[1], runners: undefined, checkCount: 1, slots: { expected: 0, missing: 0 } },
    { location: LOCATIONS[0], runners: undefined, checkCount: 0, slots: { expected: 0, missing: 0 } },
  ]);
});

it("keeps apart what is none and what is not known yet", () => {
  const [first] = rowsOf([location("loc_c", "private")], {
    runners: undefined,
    checks: undefined,
    coverage: undefined,
  });
  expect(first).toMatchObject({ runners: undefined, checkCount: undefined, slots: undefined });
});
