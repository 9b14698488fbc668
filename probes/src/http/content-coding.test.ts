import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeContent } from "./content-coding.ts";
import { decodeZstd } from "./zstd.ts";

const TEXT = Buffer.from(`${"Grüße, body. ".repeat(500)}end`);
const MIB = 1024 * 1024;
/** "hello hello hello\n" by zstd 1.5, with checksum. */
const ZSTD_HELLO = Buffer.from("KLUv/QRYbQAAOGhlbGxvIAoBADFKEaOqdM4=", "base64");

describe("decodeContent", () => {
  it.each([
    ["gzip", zlib.gzipSync(TEXT)],
    ["x-gzip", zlib.gzipSync(TEXT)],
    ["GZIP", zlib.gzipSync(TEXT)],
    ["deflate", zlib.deflateSync(TEXT)],
    ["deflate", zlib.deflateRawSync(TEXT)],
    ["br", zlib.brotliCompressSync(TEXT)],
    ["identity", TEXT],
    ["", TEXT],
    ["br, gzip", zlib.gzipSync(zlib.brotliCompressSync(TEXT))],
  ])("undoes %s", async (codings, wire) => {
    expect(await decodeContent(wire, codings, { bytesMax: MIB, isPartial: false })).toEqual({
      bytes: TEXT,
      wasCut: false,
    });
  });

  it.each(["gzip", "deflate", "br", "zstd"])("says that %s data is damaged", async (coding) => {
    await expect(
      decodeContent(Buffer.from("not compressed"), coding, { bytesMax: MIB, isPartial: false }),
    ).rejects.toThrow();
  });

  it("says that gzip data ends too early, unless it was cut by us", async () => {
    const wire = zlib.gzipSync(randomBytes(10_000)).subarray(0, 5_000);
    await expect(decodeContent(wire, "gzip", { bytesMax: MIB, isPartial: false })).rejects.toThrow(
      /unexpected end/,
    );
    const decoded = await decodeContent(wire, "gzip", { bytesMax: MIB, isPartial: true });
    expect(decoded.wasCut).toBe(true);
    expect(decoded.bytes.length).toBeGreaterThan(4_000);
  });

  it("names an unknown coding, and refuses a tower of codings", async () => {
    await expect(decodeContent(TEXT, "lzma", { bytesMax: MIB, isPartial: false })).rejects.toThrow(
      /"lzma" is not known/,
    );
    await expect(
      decodeContent(TEXT, "gzip, gzip, gzip, gzip", { bytesMax: MIB, isPartial: false }),
    ).rejects.toThrow(/more than 3/);
  });

  it.each([
    ["gzip", zlib.gzipSync(Buffer.alloc(64 * MIB))],
    [
      "br",
      zlib.brotliCompressSync(Buffer.alloc(64 * MIB), {
        params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
    ],
    ["zstd", zstdBomb(512)],
  ])("stops a %s bomb at the limit", async (coding, wire) => {
    const { bytes, wasCut } = await decodeContent(wire, coding, { bytesMax: MIB, isPartial: false });
    expect(bytes.length).toBe(MIB);
    expect(wasCut).toBe(true);
  });
});

describe("decodeZstd", () => {
  it("decodes a frame with a checksum, and several frames one after another", async () => {
    const text = Buffer.from("hello hello hello\n");
    expect((await decodeZstd(ZSTD_HELLO, { bytesMax: MIB, isPartial: false })).bytes).toEqual(text);
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
    const two = Buffer.concat([ZSTD_HELLO, skippable, ZSTD_HELLO]);
    expect((await decodeZstd(two, { bytesMax: MIB, isPartial: false })).bytes).toEqual(
      Buffer.concat([text, text]),
    );
  });

  it("refuses a window larger than it would allocate, and data that ends too early", async () => {
    const wide = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00, 0x00]);
    await expect(decodeZstd(wide, { bytesMax: MIB, isPartial: false })).rejects.toThrow(/window/);
    await expect(decodeZstd(ZSTD_HELLO.subarray(0, 20), { bytesMax: MIB, isPartial: false })).rejects.toThrow(
      /unexpected end/,
    );
    expect((await decodeZstd(ZSTD_HELLO.subarray(0, 20), { bytesMax: MIB, isPartial: true })).wasCut).toBe(
      true,
    );
  });

  it.each([
    [
      "frames",
      Buffer.concat(Array(100_000).fill(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x70, 9, 0, 0, 0x41]))),
    ],
    ["frames", Buffer.concat(Array(100_000).fill(Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])))],
    ["blocks", Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x70]), Buffer.alloc(3 * 1_000_000)])],
  ])("refuses a body of countless small %s before it spends time on them", async (parts, wire) => {
    const beganAt = process.cpuUsage();
    await expect(decodeZstd(wire, { bytesMax: 10 * MIB, isPartial: false })).rejects.toThrow(
      new RegExp(`more than \\d+ ${parts}`),
    );
    // The limit's own frames cost some 100 ms; without a limit these take tens of seconds.
    expect(process.cpuUsage(beganAt).user / 1000).toBeLessThan(3_000);
  });

  const hasZstd = isInstalled("zstd");
  it.skipIf(!hasZstd)("decodes what the zstd command makes (install zstd to run)", async () => {
    const original = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000, "abc"), TEXT]);
    for (const level of ["-1", "-19"]) {
      const wire = execFileSync("zstd", ["-q", "-c", level], { input: original, maxBuffer: 4 * MIB });
      expect((await decodeZstd(wire, { bytesMax: 2 * MIB, isPartial: false })).bytes.equals(original)).toBe(
        true,
      );
    }
  });
});

/** Each of these four-byte blocks stands for 128 KiB. */
function zstdBomb(blocks: number): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
  const block = (isLast: boolean) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUIntLE(((128 * 1024) << 3) | (1 << 1) | (isLast ? 1 : 0), 0, 3);
    return bytes;
  };
  return Buffer.concat([
    header,
    ...Array.from({ length: blocks }, (_, index) => block(index === blocks - 1)),
  ]);
}

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
