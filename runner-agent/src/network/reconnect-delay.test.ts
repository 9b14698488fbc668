import { describe, expect, it } from "vitest";
import { reconnectDelayMs } from "./reconnect-delay.ts";

describe("the wait before connecting again", () => {
  it.each([
    [1, 50, 100],
    [2, 100, 200],
    [4, 400, 800],
    [7, 2500, 5000],
    [1000, 2500, 5000],
  ])("after %i failures is between %i and %i ms", (failures, least, most) => {
    expect(reconnectDelayMs(failures, 0)).toBe(least);
    expect(reconnectDelayMs(failures, 0.999999)).toBeCloseTo(most, 0);
  });
});
