import { expect, it } from "vitest";
import type { EvaluatedSubject, Transition } from "../evaluation/transitions.ts";
import { findBlamed } from "./cut-off.ts";
import type { TeamLocation } from "./reach-store.ts";

function triggered(slotMs: number, unreachedFrom: readonly number[], teamId = "t"): Transition {
  return { kind: "triggered", rule: { teamId }, newResult: { slotMs }, unreachedFrom } as never;
}
const of = (...transitions: Transition[]) => [{ transitions }] as unknown as EvaluatedSubject[];

/** Judges by the keys of locations that are cut off, and notes each question. */
function judging(cutOff: (location: TeamLocation) => boolean) {
  const asked: TeamLocation[][] = [];
  const judge = async (locations: readonly TeamLocation[]) => {
    asked.push([...locations]);
    return new Set(
      locations.filter(cutOff).map(({ teamId, locationKey, atMs }) => `${teamId}:${locationKey}:${atMs}`),
    );
  };
  return { asked, judge };
}

it("an alert is due to its locations when each of them is cut off; others are asked about up to the first that is not", async () => {
  const [both, second, third] = [triggered(0, [1, 2]), triggered(0, [3, 1, 2]), triggered(0, [2])];
  const { asked, judge } = judging(({ locationKey }) => locationKey !== 3);
  const blamed = await findBlamed(of(both, second, third), judge);
  expect([...blamed]).toEqual([third, both]);
  expect(asked.map((round) => round.map(({ locationKey }) => locationKey))).toEqual([[1, 3, 2], [2]]);
});

it("each is judged shortly after its own slot", async () => {
  const [early, late] = [triggered(0, [1]), triggered(600_000, [1])];
  const { judge } = judging(({ atMs }) => atMs < 300_000);
  expect([...(await findBlamed(of(early, late), judge))]).toEqual([early]);
});

it("a batch of any length asks about twelve instants of a location at most, none before the slot", async () => {
  const all = Array.from({ length: 500 }, (_, i) => triggered(i * 61_000, [1]));
  const { asked, judge } = judging(() => true);
  expect((await findBlamed(of(...all), judge)).size).toBe(500);
  expect(asked[0]?.length).toBeLessThanOrEqual(12);
  expect(Math.max(...(asked[0] ?? []).map(({ atMs }) => atMs))).toBe(499 * 61_000 + 30_000);
});

it("nothing is asked where nothing is in doubt", async () => {
  const { asked, judge } = judging(() => true);
  expect((await findBlamed(of(triggered(0, [])), judge)).size).toBe(0);
  expect(asked).toEqual([]);
});
