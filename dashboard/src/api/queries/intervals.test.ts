import { expect, it } from "vitest";
import { RequestError } from "../request.ts";
import { isKept, keptLive, keptLiveByAge } from "./intervals.ts";

it.each([
  [0, false],
  [250, false],
  [400, true],
  [2_000, true],
  [600_000, false],
  [-600_000, false],
])("an answer %d ms old was kept: %s", (ageMs, kept) => {
  expect(isKept(ageMs, 2_000)).toBe(kept);
});

it("a kept answer is read once more when the service no longer keeps it", () => {
  const { refetchInterval } = keptLiveByAge<{ asOf: string }>(
    5_000,
    { topics: ["states"], cachedForMs: 2_000 },
    ({ asOf }) => asOf,
  );
  const answeredAtMs = 1_800_000_000_000;
  const nextAfter = (ageMs: number) =>
    refetchInterval({
      state: {
        data: { asOf: new Date(answeredAtMs - ageMs).toISOString() },
        dataUpdatedAt: answeredAtMs,
        error: null,
      },
    });
  expect([nextAfter(1_200), nextAfter(2_200), nextAfter(20)]).toEqual([1_100, 300, 5_000]);
  expect(refetchInterval({ state: { data: undefined, dataUpdatedAt: 0, error: null } })).toBe(5_000);
});

it.each([
  ["a check that is not there", "chk_a", 404, false],
  ["a check whose read failed", "chk_a", 503, 5_000],
  ["no answer about a check", "chk_a", 0, 5_000],
  ["a record that is no check", undefined, 404, 5_000],
])("%s is read anew in its interval, unless it is gone", (_name, checkId, status, intervalMs) => {
  const { refetchInterval, meta } = keptLive(5_000, { topics: ["change"], ...(checkId && { checkId }) });
  expect(refetchInterval({ meta, state: { error: new RequestError(status, "failed") } })).toBe(intervalMs);
});
