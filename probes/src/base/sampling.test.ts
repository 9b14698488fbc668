import { expect, it } from "vitest";
import { isSampledSlot } from "./sampling.ts";

it("samples exactly one in N consecutive slots, whatever the phase", () => {
  for (const [every, phaseMs] of [
    [1, 0],
    [3, 0],
    [12, 41_234],
    [1000, 59_999],
  ] as const) {
    const sampled = Array.from({ length: 4 * every }, (_, slot) =>
      isSampledSlot(slot * 60_000 + phaseMs, 60, every),
    );
    expect(sampled.filter(Boolean)).toHaveLength(4);
    expect(sampled.indexOf(true)).toBe(0);
    expect(sampled.lastIndexOf(true)).toBe(3 * every);
  }
});
