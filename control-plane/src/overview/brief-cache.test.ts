import { describe, expect, it } from "vitest";
import { BriefCache } from "./brief-cache.ts";

describe("a cache that is full", () => {
  it("drops the value that was asked for longest ago, whenever it was made", async () => {
    const cache = new BriefCache<string>(1_000, { weightMax: 3, weightOf: () => 1 });
    const made: string[] = [];
    const ask = (key: string) =>
      cache.get(key, 0, async () => {
        made.push(key);
        return key;
      });
    for (const key of ["a", "b", "c", "a", "d", "a", "c", "d", "b"]) await ask(key);
    expect(made).toEqual(["a", "b", "c", "d", "b"]);
    expect(["a", "b", "c", "d"].filter((key) => cache.has(key, 0))).toEqual(["b", "c", "d"]);
  });

  it("counts values by their weights, and keeps none that is heavier than all may be", async () => {
    const cache = new BriefCache<number>(1_000, { weightMax: 10, weightOf: (value) => value });
    const put = (key: string, value: number) => cache.get(key, 0, async () => value);
    const kept = () => ["a", "b", "c", "d"].filter((key) => cache.has(key, 0));
    await put("a", 4);
    await put("b", 6);
    expect(kept()).toEqual(["a", "b"]);
    await put("c", 5);
    expect(kept()).toEqual(["c"]);
    cache.forget("c");
    await put("a", 10);
    expect(kept()).toEqual(["a"]);
    expect(await put("d", 11)).toBe(11);
    expect(kept()).toEqual([]);
  });

  it("weighs a value that failed, or was made again, no more", async () => {
    const cache = new BriefCache<number>(10, { weightMax: 4, weightOf: (value) => value });
    await expect(cache.get("a", 0, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    for (const nowMs of [0, 10, 20, 30]) await cache.get("b", nowMs, async () => 2);
    await cache.get("c", 30, async () => 2);
    expect([cache.has("b", 30), cache.has("c", 30)]).toEqual([true, true]);
  });
});
