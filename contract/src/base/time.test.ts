import { describe, expect, it } from "vitest";
import { wholeMs } from "./time.ts";

describe("wholeMs", () => {
  it("leaves whole numbers alone and rounds quotients, whatever the divisor is", () => {
    for (const divisor of [7, 13, 61, 97])
      for (const ms of [1_200_000 / divisor, -1 / divisor, 1_764_000_000_000 + 1 / divisor])
        expect(Number.isSafeInteger(wholeMs(ms))).toBe(true);
    expect(wholeMs(1_764_000_000_123)).toBe(1_764_000_000_123);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])("refuses %f", (ms) => {
    expect(() => wholeMs(ms)).toThrow(RangeError);
  });
});
