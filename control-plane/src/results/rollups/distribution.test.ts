import fc from "fast-check";
import { expect, it } from "vitest";
import { Distribution } from "./distribution.ts";

it("a quantile differs from the exact one by less than the width of a class", () => {
  const times = fc.array(fc.integer({ min: 1_000, max: 60_000_000 }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.95, 0.99), (values, share) => {
      const distribution = new Distribution();
      for (const value of values) distribution.addTime(value);
      const sorted = [...values].sort((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number;
      const found = distribution.quantile(share) as number;
      expect(found / exact).toBeGreaterThan(1 / 1.0596);
      expect(found / exact).toBeLessThan(1.0596);
    }),
  );
});

it("without results there is no quantile", () => {
  expect(new Distribution().quantile(0.5)).toBeUndefined();
});
