import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryBudget, MemoryUnavailable } from "./memory-budget.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("MemoryBudget", () => {
  it("never lets more in than fits, and the next one when another leaves", async () => {
    const budget = new MemoryBudget(100);
    const leave = await budget.reserve(60, 1_000);
    let isIn = false;
    const second = budget.reserve(60, 1_000).then((release) => {
      isIn = true;
      return release;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect([isIn, budget.reservedBytes, budget.waiting]).toEqual([false, 60, 1]);
    leave();
    leave(); // a second time gives nothing back
    await second;
    expect([isIn, budget.reservedBytes, budget.waiting]).toEqual([true, 60, 0]);
  });

  it("keeps the order of asking: a small one does not overtake a large one", async () => {
    const budget = new MemoryBudget(100);
    const leave = await budget.reserve(50, 1_000);
    const order: string[] = [];
    void budget.reserve(80, 1_000).then(() => order.push("large"));
    void budget.reserve(10, 1_000).then(() => order.push("small"));
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual([]);
    leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual(["large", "small"]);
  });

  it("one that waits too long gets none, and those behind it no longer wait for it", async () => {
    const budget = new MemoryBudget(100);
    await budget.reserve(50, 1_000);
    const large = budget.reserve(80, 1_000).catch((error: unknown) => error);
    const small = budget.reserve(10, 60_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await large).toBeInstanceOf(MemoryUnavailable);
    await small;
    expect(budget.reservedBytes).toBe(60);
  });

  it("refuses at once what will never fit", async () => {
    await expect(new MemoryBudget(100).reserve(101, 60_000)).rejects.toThrow(
      "a run needs 101 bytes of memory",
    );
  });
});
