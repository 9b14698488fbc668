import { describe, expect, it } from "vitest";
import type { DriverEnd } from "./driver-process.ts";
import { SharedDriver } from "./shared-driver.ts";

const CLEAN = { report: { isClean: true } };

class FakeDriver {
  hasEnded = false;
  #end: (end: DriverEnd) => void = () => {};
  readonly ended = new Promise<DriverEnd>((resolve) => {
    this.#end = resolve;
  });

  async kill(): Promise<DriverEnd> {
    this.hasEnded = true;
    this.#end({ cause: "killed", message: "it was ended" });
    return this.ended;
  }
}

function sharing(lanes: number) {
  const drivers: FakeDriver[] = [];
  const shared = new SharedDriver({
    lanes,
    warn: () => {},
    monotonicMs: () => performance.now(),
    start: async () => {
      const driver = new FakeDriver();
      drivers.push(driver);
      return driver;
    },
  });
  return { shared, drivers, run: () => shared.use(0, async () => CLEAN) };
}

describe("the shared driver", () => {
  it("is replaced after 100 runs, and ends when its last run has", async () => {
    const { shared, drivers, run } = sharing(2);
    let endLong: (ended: typeof CLEAN) => void = () => {};
    const long = shared.use(0, () => new Promise<typeof CLEAN>((resolve) => (endLong = resolve)));
    for (let i = 0; i < 99; i++) await run();
    expect(drivers).toHaveLength(1);
    await run();
    await run();
    expect(drivers.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
    endLong(CLEAN);
    await long;
    expect(drivers.map(({ hasEnded }) => hasEnded)).toEqual([true, false]);
    await shared.close();
    expect(drivers.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
  });

  it.each([
    ["would not clean up", { report: { isClean: false } }],
    ["did not come to its end", { report: undefined }],
  ])("is replaced after a run that %s", async (_, ended) => {
    const { shared, drivers, run } = sharing(2);
    await shared.use(0, async () => ended);
    expect(drivers[0]?.hasEnded).toBe(true);
    await run();
    expect(drivers).toHaveLength(2);
  });

  it("gives no lane when none becomes free in time, and the freed one to who waits", async () => {
    const { shared, run } = sharing(1);
    let end: (ended: typeof CLEAN) => void = () => {};
    const first = shared.use(0, () => new Promise<typeof CLEAN>((resolve) => (end = resolve)));
    expect(await run()).toBeUndefined();
    const second = shared.use(60_000, async () => CLEAN);
    end(CLEAN);
    expect(await Promise.all([first, second])).toEqual([CLEAN, CLEAN]);
  });
});
