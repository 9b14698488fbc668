import type { CheckId } from "@svc/contract";
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

const change = (resourceId: string, action: "updated" | "deleted" = "updated") =>
  ({ name: "change", data: { type: "check", action, resourceId } }) as const;

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

it("what is about a deleted check is never read again, and is the answer 404 that its page shows as such", async () => {
  await show("check a", { topics: ["change", "results", "states"], checkId: "chk_a" });
  await show("history of a", { topics: ["results"], checkId: "chk_a" });
  await show("check b", { topics: ["change"], checkId: "chk_b" });
  await show("checks", { topics: ["change"] });
  // Read once more in a second, because it has just been read.
  applier.apply(change("chk_a"));
  applier.apply(change("chk_a"));
  await vi.advanceTimersByTimeAsync(0);
  reads = [];
  applier.apply(change("chk_a", "deleted"));
  for (const name of ["check a", "history of a"])
    expect(client.getQueryState([name])?.error).toMatchObject({ status: 404 });
  expect(client.getQueryState(["check b"])?.error).toBeNull();
  applier.apply({ name: "results", data: { checkId: "chk_a" as CheckId, results: [] } });
  applier.apply({ name: "resync", data: { reason: "a test" } });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reads).toContain("checks");
  expect(reads).toContain("check b");
  expect(reads.filter((name) => name.endsWith(" a"))).toEqual([]);
});

it("an answer that is on the way when the check is deleted changes nothing any more", async () => {
  let answer = (_value: string) => {};
  const queryFn = () => new Promise<string>((resolve) => (answer = resolve));
  const { meta } = keptLive(60_000, { topics: ["change"], checkId: "chk_a" });
  new QueryObserver(client, { queryKey: ["a"], queryFn, meta }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  applier.apply(change("chk_a", "deleted"));
  answer("as it was");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(client.getQueryState(["a"])).toMatchObject({
    status: "error",
    fetchStatus: "idle",
    data: undefined,
  });
});

it("a page reads what else an event of a deletion concerns once it had the time to leave the check", async () => {
  await show("rules of a", { topics: ["change"] });
  applier.apply(change("chk_a", "deleted"));
  await vi.advanceTimersByTimeAsync(99);
  expect(reads).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(reads).toEqual(["rules of a"]);
});
