import type { LocationId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { hypothesisOfLocations, titleOfLocations } from "./location-incident.ts";

const LOCATION = "loc_us_east" as LocationId;

describe("the incident of locations", () => {
  it.each([
    [["Paris"], "Location Paris can't reach its targets"],
    [["Paris", "Rome"], "Locations Paris and Rome can't reach their targets"],
    [["Paris", "Rome", "Oslo"], "Locations Paris, Rome and Oslo can't reach their targets"],
    [
      ["Paris", "Rome", "Oslo", "Bern", "Riga"],
      "Locations Paris, Rome, Oslo and 2 more can't reach their targets",
    ],
    [["two\nlines", "Rome"], "Locations two lines and Rome can't reach their targets"],
  ])("in %j names these", (names, title) => {
    expect(titleOfLocations(names)).toBe(title);
  });

  it.each([1, 2, 3, 90])(
    "of %i long names has a title that an incident may have, and a beginning of each named one",
    (count) => {
      const names = Array.from({ length: count }, (_, i) => `${i} ${"long ".repeat(80)}`);
      const title = titleOfLocations(names);
      expect(title.length).toBeLessThanOrEqual(200);
      for (let i = 0; i < Math.min(3, count); i++) expect(title).toContain(`${i} long long long`);
    },
  );

  it.each([
    [["Paris"], "Paris can't reach its targets: ", "location: 1 alert from Paris alone"],
    [
      ["Paris", "Rome", "Oslo", "Bern"],
      "Paris, Rome, Oslo and 1 more can't reach their targets: ",
      "from Paris, Rome, Oslo and 1 more alone",
    ],
  ])("in %j is explained by these", (names, summary, ruledIn) => {
    const hypothesis = hypothesisOfLocations({ locationId: LOCATION, names }, 1);
    expect(hypothesis.summary).toContain(summary);
    expect(hypothesis.ruledIn.join()).toContain(ruledIn);
    expect(hypothesis.correlationDimensionsMatched).toEqual(["location:loc_us_east"]);
  });
});
