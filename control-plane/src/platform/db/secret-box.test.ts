import { describe, expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const KEY = "a-secret-key-that-only-tests-use-0123456789";
const OTHER = "another-secret-key-that-only-tests-use-0123";

describe("createSecretBox", () => {
  it("opens what it sealed, and seals the same text differently each time", () => {
    const box = createSecretBox(KEY);
    const [first, second] = [box.seal("pässword"), box.seal("pässword")];
    expect(first.equals(second)).toBe(false);
    expect(first.includes("pässword")).toBe(false);
    expect([box.open(first), box.open(second)]).toEqual(["pässword", "pässword"]);
  });

  it("after a change of the key opens what the previous one sealed, and nobody else does", () => {
    const sealed = createSecretBox(KEY).seal("text");
    expect(createSecretBox(OTHER, [KEY]).open(sealed)).toBe("text");
    expect(() => createSecretBox(OTHER).open(sealed)).toThrow(/SVC_SECRET_KEY/);
  });

  it("refuses what was altered, byte by byte", () => {
    const box = createSecretBox(KEY);
    const sealed = box.seal("text");
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed);
      altered[i] = (altered[i] ?? 0) ^ 1;
      expect(() => box.open(altered)).toThrow();
    }
  });

  it("signs for one purpose only", () => {
    const box = createSecretBox(KEY);
    expect(box.sign("a", "text").equals(box.sign("b", "text"))).toBe(false);
    expect(box.sign("a", "text").equals(createSecretBox(KEY).sign("a", "text"))).toBe(true);
  });
});
