import { expect, it } from "vitest";
import { sinceOf } from "./since.ts";

const result = (minute: number, locationId: string, status: "success" | "failure") => ({
  locationId,
  status,
  startedAt: `2026-11-23T10:${String(minute).padStart(2, "0")}:00.000Z`,
});

it("is the first failure after the last success, where it fails longest", () => {
  const results = [
    result(9, "a", "failure"),
    result(9, "b", "success"),
    result(8, "c", "failure"),
    result(7, "a", "failure"),
    result(6, "c", "success"),
    result(5, "a", "success"),
    result(4, "b", "failure"),
    result(3, "a", "failure"),
  ];
  expect(sinceOf(results)).toEqual({ at: "2026-11-23T10:07:00.000Z", isLonger: false });
});

it("is longer ago than the results say when there is no success among them", () => {
  expect(sinceOf([result(9, "a", "failure"), result(8, "a", "failure")])).toEqual({
    at: "2026-11-23T10:08:00.000Z",
    isLonger: true,
  });
});

it("is nothing for a check that does not fail", () => {
  expect(sinceOf([result(9, "a", "success"), result(8, "a", "failure")])).toBeUndefined();
  expect(sinceOf([])).toBeUndefined();
});
