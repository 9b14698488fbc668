import { pino } from "pino";
import { afterEach, expect, it, vi } from "vitest";
import { WakeableWorker, type WakeableWorkerOptions } from "./wakeable-worker.ts";

const workers: WakeableWorker[] = [];
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.close())));

function aWorker(work: WakeableWorkerOptions["work"], overrides: Partial<WakeableWorkerOptions> = {}) {
  const log = pino({ level: "silent" });
  const worker = new WakeableWorker({
    log,
    failureMessage: "failed",
    pollIntervalMs: 60_000,
    work,
    ...overrides,
  });
  workers.push(worker);
  return worker;
}

it("wakes during a round share one round after it", async () => {
  let rounds = 0;
  let finish = () => {};
  const worker = aWorker(async () => {
    rounds++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return false;
  });
  const first = worker.nextRound();
  const [second, third] = [worker.nextRound(), worker.nextRound()];
  expect(rounds).toBe(1);
  finish();
  await first;
  await vi.waitFor(() => expect(rounds).toBe(2), { timeout: 60_000 });
  finish();
  await Promise.all([second, third]);
  expect(rounds).toBe(2);
});

it("a round that left work is followed by another one at once", async () => {
  let left = 3;
  const worker = aWorker(async () => --left > 0);
  worker.start();
  await vi.waitFor(() => expect(left).toBe(0), { timeout: 60_000 });
});

it("a round that fails is a warning once, rejects, and the next one is run all the same", async () => {
  const log = pino({ level: "silent" });
  const warn = vi.spyOn(log, "warn");
  const info = vi.spyOn(log, "info");
  let rounds = 0;
  const work = async () => {
    if (++rounds < 3) throw new Error("away");
    return false;
  };
  const worker = aWorker(work, { log });
  await expect(worker.nextRound()).rejects.toThrow("away");
  await expect(worker.nextRound()).rejects.toThrow("away");
  expect(worker.hasFailed).toBe(true);
  await worker.nextRound();
  expect(worker.hasFailed).toBe(false);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(info.mock.calls).toEqual([
    [{ failures: 2, since: expect.any(String) }, "works again after: failed"],
  ]);
});

it("runs again by its timer; once closed, never", async () => {
  let rounds = 0;
  const worker = aWorker(async () => ++rounds < 0, { pollIntervalMs: 5 });
  worker.start();
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(2), { timeout: 60_000 });
  await worker.close();
  const atClose = rounds;
  worker.wake();
  await worker.nextRound();
  expect(rounds).toBe(atClose);
});
