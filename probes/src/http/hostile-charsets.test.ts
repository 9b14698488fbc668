import { expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { decodeText, decodeTextInPieces, isSlowToDecode } from "./charset.ts";

const MIB = 1024 * 1024;
const WHOLE = { isPartial: false };

it("a body of windows-1252's own characters costs about as much as one of Latin-1", () => {
  const cpuMs = (byte: number) => {
    const body = Buffer.alloc(4 * MIB, byte);
    const times = Array.from({ length: 4 }, () => {
      const before = process.cpuUsage();
      decodeText("windows-1252", body, WHOLE);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...times);
  };
  // 30 times as much when each character was replaced in the string.
  expect(cpuMs(0x80)).toBeLessThan(6 * cpuMs(0xe9));
});

it.each(["utf-8", "windows-1252", "shift_jis", "big5", "gb18030", "iso-2022-jp", "utf-16be"])(
  "a body that is malformed in %s is decoded in linear time",
  (charset) => {
    const growth = growthAtDoubleSize(
      [MIB / 4, MIB / 2, MIB],
      (size) => Buffer.alloc(size, 0x80),
      (body) => decodeText(charset, body, WHOLE),
    );
    expect(growth).toBeLessThan(2.5);
  },
);

it.each(["windows-1252", "shift_jis", "big5", "utf-16be"])(
  "a long body in %s is decoded in pieces, to the text that all of it at once gives",
  async (charset) => {
    // An odd length, so that pieces end within characters.
    const body = Buffer.alloc(700_001, Buffer.from([0x41, 0x83, 0x41, 0x82, 0xa0]));
    let turns = 0;
    let immediate = setImmediate(function count() {
      turns++;
      immediate = setImmediate(count);
    });
    expect(isSlowToDecode(charset, body)).toBe(true);
    const text = await decodeTextInPieces(charset, body);
    clearImmediate(immediate);
    expect(text === decodeText(charset, body, WHOLE)).toBe(true);
    expect(turns).toBeGreaterThan(0);
  },
);
