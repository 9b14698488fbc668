import { expect, it } from "vitest";
import { pictureSize } from "./picture-size.ts";

const hex = (text: string) => Uint8Array.from(text.match(/[0-9a-f]{2}/g) ?? [], (two) => parseInt(two, 16));
const ascii = (text: string) =>
  [...text].map((one) => one.charCodeAt(0).toString(16).padStart(2, "0")).join("");
const png = (width: string, height: string) =>
  `89504e470d0a1a0a 0000000d ${ascii("IHDR")} ${width} ${height}`;
const webp = (kind: string, rest: string) =>
  `${ascii("RIFF")} 00000000 ${ascii("WEBP")} ${ascii(kind)} 00000000 ${rest}`;

it.each([
  ["PNG", png("00000500", "000002d0"), 1_280, 720],
  ["PNG that claims to be huge", png("0000ea60", "0000ea60"), 60_000, 60_000],
  ["JPEG", "ffd8 ffe0 0004 0000 ffc0 0011 08 02d0 0500 03", 1_280, 720],
  [
    "JPEG, progressive, with filled bytes and a table before its frame",
    "ffd8 ffff ffc4 0003 00 ffc2 0011 08 ffff fffe 03",
    65_534,
    65_535,
  ],
  ["WebP, lossy", webp("VP8 ", "000000 9d012a 0005 d002"), 1_280, 720],
  ["WebP, lossless", webp("VP8L", "2f ffc4b300"), 1_280, 720],
  ["WebP, extended", webp("VP8X", "00000000 5fea00 5fea00"), 60_000, 60_000],
])("%s", (_name, bytes, width, height) => {
  expect(pictureSize(hex(bytes))).toEqual({ width, height });
});

it.each([
  ["nothing", ""],
  ["a PNG that ends before its size", png("00000500", "0000")],
  ["a JPEG without a frame", "ffd8 ffe0 0004 0000"],
  ["a JPEG whose segments never end", "ffd8 ffe0 ffff 0000"],
  ["a WebP of no known kind", webp("ABCD", "00")],
  ["text", ascii("<svg width='60000'>")],
])("%s has no size", (_name, bytes) => {
  expect(pictureSize(hex(bytes))).toBeUndefined();
});
