import { describe, expect, test } from "vitest";
import { type AssignableCheckLocation, type AssignableRunner, ownerOf, rankRunners } from "./assignment.ts";

function aRunner(runnerKey: number, overrides: Partial<AssignableRunner> = {}): AssignableRunner {
  return {
    runnerKey,
    locationKeys: [1],
    capabilities: new Set(["http"]),
    capacityPerSecond: 100,
    isDraining: false,
    connectedAtMs: 0,
    leaseUntilMs: 1_000_000,
    notAcceptingSinceMs: null,
    ...overrides,
  };
}

const checkLocations: AssignableCheckLocation[] = Array.from({ length: 10_000 }, (_, i) => ({
  checkKey: i + 1,
  locationKey: 1,
  type: "http",
  usesVault: false,
  effectiveFromMs: 0,
}));

function owners(runners: AssignableRunner[], of = checkLocations, known = runners): (number | undefined)[] {
  return of.map((checkLocation) => ownerOf(checkLocation, runners, known)?.runnerKey);
}

const share = (list: (number | undefined)[], key: number) =>
  list.filter((owner) => owner === key).length / list.length;

describe("the owner of a check at a location", () => {
  test("does not depend on the order of the runners", () => {
    const runners = [aRunner(1), aRunner(2), aRunner(3)];
    expect(owners(runners)).toEqual(owners([...runners].reverse()));
  });

  test("is shared in proportion to capacity", () => {
    const list = owners([aRunner(1, { capacityPerSecond: 100 }), aRunner(2, { capacityPerSecond: 300 })]);
    expect(share(list, 1)).toBeCloseTo(0.25, 1);
    expect(share(list, 2)).toBeCloseTo(0.75, 1);
  });

  test("changes for a lost runner's share only", () => {
    const before = owners([aRunner(1), aRunner(2), aRunner(3)]);
    const after = owners([aRunner(1), aRunner(3)]);
    for (const [i, owner] of before.entries()) if (owner !== 2) expect(after[i]).toBe(owner);
    expect(share(after, 1)).toBeCloseTo(0.5, 1);
  });

  test("changes only towards a runner that joins", () => {
    const before = owners([aRunner(1), aRunner(2)]);
    const after = owners([aRunner(1), aRunner(2), aRunner(3)]);
    for (const [i, owner] of after.entries()) if (owner !== 3) expect(before[i]).toBe(owner);
  });

  test.each([
    ["draining", { isDraining: true }],
    ["unable to run the type", { capabilities: new Set(["browser"]) }],
  ])("is never a runner that is %s", (_name, overrides) => {
    expect(new Set(owners([aRunner(1, overrides), aRunner(2)]))).toEqual(new Set([2]));
    expect(ownerOf(checkLocations[0] as AssignableCheckLocation, [aRunner(1, overrides)])).toBeUndefined();
  });

  test("stays with a runner that stops accepting, for what it had", () => {
    const before = owners([aRunner(1), aRunner(2)]);
    const after = owners([aRunner(1, { notAcceptingSinceMs: 500 }), aRunner(2)]);
    expect(after).toEqual(before);
  });

  test("of a new check is never a runner that stopped accepting before", () => {
    const fresh = checkLocations.map((checkLocation) => ({ ...checkLocation, effectiveFromMs: 600 }));
    expect(new Set(owners([aRunner(1, { notAcceptingSinceMs: 500 }), aRunner(2)], fresh))).toEqual(
      new Set([2]),
    );
  });

  test("of a check whose runner was lost is not a runner that stopped accepting", () => {
    const lost = aRunner(3, { leaseUntilMs: 700 });
    const full = aRunner(1, { notAcceptingSinceMs: 500 });
    const before = owners([full, aRunner(2), lost]);
    const after = owners([full, aRunner(2)], checkLocations, [full, aRunner(2), lost]);
    for (const [i, owner] of before.entries()) expect(after[i]).toBe(owner === 3 ? 2 : owner);
  });

  test("is a runner that stopped accepting when no other can run the check", () => {
    const fresh = { ...(checkLocations[0] as AssignableCheckLocation), effectiveFromMs: 600 };
    expect(ownerOf(fresh, [aRunner(1, { notAcceptingSinceMs: 500 })])?.runnerKey).toBe(1);
  });

  test("is the first of the ranked runners", () => {
    const runners = [aRunner(1), aRunner(2), aRunner(3)];
    for (const checkLocation of checkLocations.slice(0, 100))
      expect(rankRunners(checkLocation, runners)[0]?.runnerKey).toBe(
        ownerOf(checkLocation, runners)?.runnerKey,
      );
  });
});

test("the order of runners is the one of earlier releases, so that replicas of two releases agree", () => {
  const runners = [
    aRunner(1),
    aRunner(2),
    aRunner(3, { capacityPerSecond: 250 }),
    aRunner(4, { capacityPerSecond: 0 }),
    aRunner(70_000),
  ];
  const orderOf = (checkKey: number) =>
    rankRunners(
      { checkKey, locationKey: 1 + (checkKey % 7), type: "http", usesVault: false, effectiveFromMs: 0 },
      runners,
    ).map(({ runnerKey }) => runnerKey);
  expect([1, 3, 5, 6, 8, 1000, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 48 - 1].map(orderOf)).toEqual([
    [70_000, 3, 2, 1, 4],
    [3, 1, 70_000, 2, 4],
    [3, 70_000, 1, 2, 4],
    [2, 3, 1, 70_000, 4],
    [70_000, 1, 3, 2, 4],
    [2, 3, 70_000, 1, 4],
    [70_000, 2, 3, 1, 4],
    [3, 2, 1, 70_000, 4],
    [3, 1, 2, 70_000, 4],
    [2, 4, 3, 70_000, 1],
  ]);
});
