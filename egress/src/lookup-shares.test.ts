import { describe, expect, it } from "vitest";
import { LookupShares } from "./lookup-shares.ts";

/** Shares of 48 lookups, of which those of names that begin with "dead" never end. */
function someShares() {
  const started: string[] = [];
  const shares = new LookupShares({
    resolve: async (hostname) => {
      started.push(hostname);
      if (hostname.startsWith("dead")) await new Promise(() => {});
      return [{ address: "192.0.2.1", family: 4 }];
    },
    concurrentMax: 48,
    nowMs: () => 0,
  });
  /** Looks up several names of an owner, without waiting. */
  const lookUp = (owner: number, name: string, count: number) => {
    const resolve = shares.resolverOf(owner);
    return Array.from({ length: count }, (_, index) => resolve(`${name}-${index}`));
  };
  return { started, lookUp };
}

const begun = () => new Promise((resolve) => setImmediate(resolve));

describe("names on a name server that never answers", () => {
  it("hold at most half of the lookups that others leave free", async () => {
    const { started, lookUp } = someShares();
    await Promise.all(lookUp(2, "fine", 1));
    lookUp(1, "dead", 512);
    await begun();
    expect(started.filter((name) => name.startsWith("dead"))).toHaveLength(24);
  });

  it("hold up no other owner, however many of them there are", async () => {
    const { lookUp } = someShares();
    await Promise.all(lookUp(9, "fine", 1));
    for (const owner of [1, 2, 3, 4]) lookUp(owner, "dead", 512);
    await expect(Promise.all(lookUp(9, "fine", 100))).resolves.toHaveLength(100);
  });

  it("of an owner alone leave a quarter for the next one", async () => {
    const { started, lookUp } = someShares();
    lookUp(1, "dead", 512);
    await begun();
    expect(started).toHaveLength(36);
  });
});

it("lookups that wait behind too many others fail at once, as held up", async () => {
  const { lookUp } = someShares();
  const lookups = lookUp(1, "dead", 1_100);
  for (const lookup of lookups) lookup.catch(() => {});
  await expect(lookups.at(-1)).rejects.toMatchObject({ code: "EAI_AGAIN" });
});

it("lookups beyond the share are done in their order once others end", async () => {
  const { started, lookUp } = someShares();
  await Promise.all([...lookUp(1, "a", 60), ...lookUp(2, "b", 60)]);
  expect(started.filter((name) => name.startsWith("a"))).toEqual(
    Array.from({ length: 60 }, (_, index) => `a-${index}`),
  );
  expect(started).toHaveLength(120);
});
