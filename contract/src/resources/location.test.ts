import { describe, expect, it } from "vitest";
import { parseInput } from "../base/validation.ts";
import {
  createLocationSchema,
  createRunnerKeySchema,
  HOSTED_LOCATIONS,
  updateLocationSchema,
} from "./location.ts";

it("the hosted locations are the documented ones", () => {
  expect(HOSTED_LOCATIONS.map((location) => location.id)).toEqual([
    "loc_us_east",
    "loc_us_south",
    "loc_us_west",
    "loc_na_north",
    "loc_sa_east",
    "loc_eu_west",
    "loc_eu_west_2",
    "loc_eu_central",
    "loc_eu_north",
    "loc_ap_southeast",
    "loc_ap_northeast",
    "loc_ap_south",
    "loc_ap_oceania",
    "loc_af_south",
  ]);
});

describe("a private location", () => {
  it.each([
    ["name", "   ", "a name has at least 1 character"],
    ["name", "n".repeat(101), "a name has at most 100 characters"],
    ["latitude", -90.1, "smallest is -90"],
    ["latitude", 90.1, "largest is 90"],
    ["longitude", 180.1, "largest is 180"],
    ["longitude", "13", "expected a number, got a string"],
    ["latitud", 1, 'unknown field "latitud"; did you mean "latitude"?'],
  ])("%s %j is refused", (field, value, message) => {
    const parsed = parseInput(createLocationSchema, { name: "office", [field]: value });
    expect(parsed.success ? {} : parsed.details.fieldErrors).toEqual({ [field]: [message] });
  });

  it("an update can clear a coordinate", () => {
    expect(parseInput(updateLocationSchema, { latitude: null })).toEqual({
      success: true,
      value: { latitude: null },
    });
  });
});

it.each([
  [undefined, "Untitled Key"],
  ["  ", "Untitled Key"],
  [" rack 1 ", "rack 1"],
])("a runner key created as %j is named %j", (name, called) => {
  expect(createRunnerKeySchema.parse({ name })).toEqual({ name: called });
});
