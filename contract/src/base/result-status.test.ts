import { expect, it } from "vitest";
import { isSuccessCode, RESULT_STATUSES, STATUS_CODES, statusOfCode } from "./result-status.ts";

it("each status has a number that leads back to it", () => {
  expect(RESULT_STATUSES.map((status) => statusOfCode(STATUS_CODES[status]))).toEqual([...RESULT_STATUSES]);
});

it("only the number of success is a success", () => {
  expect(RESULT_STATUSES.filter((status) => isSuccessCode(STATUS_CODES[status]))).toEqual(["success"]);
});

it.each([0, 5, 1.5])("%d is the number of no status", (code) => {
  expect(() => statusOfCode(code)).toThrow(RangeError);
});
