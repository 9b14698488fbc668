import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keptLive } from "../api/queries/intervals.ts";
import { EventApplier } from "./apply-event.ts";

let client: QueryClient;
let applier: EventApplier;
let reads: string[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  applier = new EventApplier(client);
  reads = [];
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

/** Shows a query on a page; `reads` has its name whenever it is read. */
async function show(name: string, live: Parameters<typeof keptLive>[1]): Promise<void> {
  const queryFn = async () => reads.push(name);
  const options = { queryKey: [name], queryFn, meta: keptLive(60_000, live).meta };
  new QueryObserver(client, options).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  reads = [];
}

const change = (resourceId: string) =>
  ({ name: "change", data: { type: "check", action: "updated", resourceId } }) as const;

it("an event lets those queries be read anew that it concerns", async () => {
  await show("checks", { topics: ["change"] });
  await show("check a", { topics: ["change", "results"], checkId: "chk_a" });
  await show("alerts", { topics: ["alert"] });
  applier.apply(change("chk_b"));
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toEqual(["checks"]);
  applier.apply(change("chk_a"));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reads.toSorted()).toEqual(["check a", "checks", "checks"]);
});

it("a query is read once a second at most, however many events come, and after the last of them", async () => {
  await show("checks", { topics: ["change"] });
  for (let i = 0; i < 50; i++) {
    applier.apply(change(`chk_${i}`));
    await vi.advanceTimersByTimeAsync(50);
  }
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reads.length).toBeGreaterThanOrEqual(3);
  expect(reads.length).toBeLessThanOrEqual(4);
});

it("an answer that may come from memory is read once more when that has passed", async () => {
  await show("overview", { topics: ["change"], cachedForMs: 2_000 });
  applier.apply(change("chk_a"));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(reads).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(reads).toHaveLength(2);
});

it("events that may be missing let everything live be read anew", async () => {
  await show("checks", { topics: ["change"] });
  await show("alerts", { topics: ["alert"] });
  applier.apply({ name: "resync", data: { reason: "a test" } });
  await vi.advanceTimersByTimeAsync(0);
  expect(reads.toSorted()).toEqual(["alerts", "checks"]);
});

it("a query that hears of more while it waits is read until an answer is younger than the last event", async () => {
  await show("overview", { topics: ["change"], cachedForMs: 1_000 });
  applier.apply(change("chk_a"));
  await vi.advanceTimersByTimeAsync(950);
  applier.apply(change("chk_a"));
  await vi.advanceTimersByTimeAsync(1_049);
  expect(reads).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(reads).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reads).toHaveLength(3);
});
