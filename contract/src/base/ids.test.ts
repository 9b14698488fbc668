import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ID_PREFIXES, type IdKind, isId, newId, parseResultId, resultIdOf, runIdOf } from "./ids.ts";

const MAX_48_BITS = 2 ** 48 - 1;
const keys = fc.record({
  slotMs: fc.maxSafeNat().map((n) => n % (MAX_48_BITS + 1)),
  checkKey: fc.maxSafeNat().map((n) => n % (MAX_48_BITS + 1)),
  locationKey: fc.nat(2 ** 32 - 1),
});

describe("record ids", () => {
  it.each(Object.entries(ID_PREFIXES) as [IdKind, string][])(
    "a new id of %s begins with %s_ and is one",
    (kind, prefix) => {
      const id = newId(kind);
      expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
      expect(isId(kind, id)).toBe(true);
      expect(isId(kind === "check" ? "location" : "check", id)).toBe(false);
    },
  );

  it.each([
    "",
    "chk",
    "chk_",
    "_",
    "chk_x",
    "chk_' OR 1=1 --",
    "chk_../../etc/passwd",
    `chk_${"z".repeat(26)}`,
    `chk_${"0".repeat(27)}`,
    "CHK_01h455vb4pex5vsknk084sn02q",
  ])("%j is no check's id", (text) => {
    expect(isId("check", text)).toBe(false);
  });
});

describe("ids of results and runs", () => {
  it("encode their key, and parse as no other kind", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(parseResultId(resultIdOf(key))).toEqual(key);
        const runKey = runIdOf(key).replace(/^run_/, "res_");
        expect(parseResultId(runKey)).toEqual({ ...key, locationKey: 0 });
        expect(parseResultId(runIdOf(key))).toBeUndefined();
      }),
    );
  });

  it("have the form of a TypeID", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(isId("result", resultIdOf(key))).toBe(true);
        expect(isId("run", runIdOf(key))).toBe(true);
      }),
    );
  });

  it("sort by slot, then check, then location", () => {
    const order = (a: { slotMs: number; checkKey: number; locationKey: number }, b: typeof a) =>
      a.slotMs - b.slotMs || a.checkKey - b.checkKey || a.locationKey - b.locationKey;
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        const [first, second] = [resultIdOf(a), resultIdOf(b)];
        expect(Math.sign(order(a, b))).toBe(first < second ? -1 : first > second ? 1 : 0);
      }),
    );
  });

  it("a key has exactly one id", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^res_[0-9a-z]{26}$/), (text) => {
        const key = parseResultId(text);
        if (key) expect(resultIdOf(key)).toBe(text);
      }),
    );
  });

  it.each([
    { slotMs: -1, checkKey: 1, locationKey: 1 },
    { slotMs: 2 ** 48, checkKey: 1, locationKey: 1 },
    { slotMs: 1, checkKey: 2 ** 48, locationKey: 1 },
    { slotMs: 1, checkKey: 1, locationKey: 2 ** 32 },
    { slotMs: Number.NaN, checkKey: 1, locationKey: 1 },
  ])("a key that does not fit is a RangeError: %j", (key) => {
    expect(() => resultIdOf(key)).toThrow(RangeError);
  });

  it.each([
    "",
    "res_",
    "res_01h455vb4pex5vsknk084sn02",
    "res_uuuuuuuuuuuuuuuuuuuuuuuuuu",
    "res_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    "chk_01h455vb4pex5vsknk084sn02q",
  ])("%j is no result's id", (text) => {
    expect(parseResultId(text)).toBeUndefined();
  });
});
