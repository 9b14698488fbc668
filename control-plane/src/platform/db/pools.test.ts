import { describe, expect, it } from "vitest";
import { parseConfig } from "../config.ts";
import { poolSizes } from "./pools.ts";

const sizesFor = (settings: Record<string, string>) => poolSizes(parseConfig(settings));

describe("connections", () => {
  it.each([8, 9, 20, 50, 200])(
    "%i of a process are shared out among its pools, each with two or more",
    (all) => {
      const sizes = Object.values(sizesFor({ SVC_DATABASE_POOL_MAX: String(all) }) ?? {});
      expect(sizes).toHaveLength(4);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(all);
    },
  );

  it("too few to be divided are not divided", () => {
    expect(sizesFor({ SVC_DATABASE_POOL_MAX: "7" })).toBeUndefined();
  });

  it("of each pool may be set", () => {
    const settings = {
      SVC_DATABASE_POOL_FLEET_MAX: "12",
      SVC_DATABASE_POOL_JOBS_MAX: "3",
      SVC_DATABASE_POOL_API_MAX: "11",
    };
    expect(sizesFor(settings)).toEqual({ fleet: 12, jobs: 3, apiReads: 6, apiWrites: 5 });
  });
});
