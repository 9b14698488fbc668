import { describe, expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const KEY = "a-secret-key-that-only-tests-use-0123456789";
const ROW = "chk_1";
const OTHER = "another-secret-key-that-only-tests-use-0123";

describe("createSecretBox", () => {
  it("opens what it sealed, and seals the same text differently each time", () => {
    const box = createSecretBox(KEY);
    const [first, second] = [box.seal("pässword", ROW), box.seal("pässword", ROW)];
    expect(first.equals(second)).toBe(false);
    expect(first.includes("pässword")).toBe(false);
    expect([box.open(first, ROW), box.open(second, ROW)]).toEqual(["pässword", "pässword"]);
  });

  it("after a change of the key opens what the previous one sealed, and nobody else does", () => {
    const sealed = createSecretBox(KEY).seal("text", ROW);
    expect(createSecretBox(OTHER, [KEY]).open(sealed, ROW)).toBe("text");
    expect(() => createSecretBox(OTHER).open(sealed, ROW)).toThrow(/SVC_SECRET_KEY/);
  });

  it("refuses what was altered, byte by byte", () => {
    const box = createSecretBox(KEY);
    const sealed = box.seal("text", ROW);
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed);
      altered[i] = (altered[i] ?? 0) ^ 1;
      expect(() => box.open(altered, ROW)).toThrow();
    }
  });

  it("opens a text only in the row that it was sealed for", () => {
    const box = createSecretBox(KEY);
    const sealed = box.seal("text", ROW);
    expect(() => box.open(sealed, "chk_2")).toThrow();
    // Nor when the version byte claims that the text is bound to no row.
    const unbound = Buffer.from(sealed);
    unbound[0] = 1;
    expect(() => box.open(unbound, "chk_2")).toThrow();
  });

  it("opens texts sealed before they were bound to a row, and does not take them for current", () => {
    // "text", sealed by the former version under KEY.
    const former = Buffer.from(
      "01661e6ee19ba2f282d5345a8c33cbfde9e1297593e53bd6be5dd92b5f389c7d6f43ba7f83",
      "hex",
    );
    const box = createSecretBox(KEY);
    expect(box.open(former, ROW)).toBe("text");
    expect(box.isCurrent(former)).toBe(false);
    expect(box.isCurrent(box.seal("text", ROW))).toBe(true);
  });

  it("verifies signatures of the former key, and of no other", () => {
    const signature = createSecretBox(KEY).sign("a", "text");
    expect(createSecretBox(OTHER, [KEY]).hasSigned("a", "text", signature)).toBe(true);
    expect(createSecretBox(OTHER).hasSigned("a", "text", signature)).toBe(false);
    expect(createSecretBox(KEY).hasSigned("b", "text", signature)).toBe(false);
    expect(createSecretBox(KEY).hasSigned("a", "text", signature.subarray(1))).toBe(false);
  });

  it("signs for one purpose only", () => {
    const box = createSecretBox(KEY);
    expect(box.sign("a", "text").equals(box.sign("b", "text"))).toBe(false);
    expect(box.sign("a", "text").equals(createSecretBox(KEY).sign("a", "text"))).toBe(true);
  });
});
