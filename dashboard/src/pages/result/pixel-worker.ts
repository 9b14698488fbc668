/** Compares two pictures pixel by pixel, apart from the page. */
import pixelmatch from "pixelmatch";
import { type PictureSize, pictureSize } from "./picture-size.ts";

/** Longest side of a picture that is decoded, px. */
const SIDE_MAX_PX = 8_192;
/** Begin of a file in which its size must stand, bytes. A JPEG may carry descriptions before it. */
const HEADER_BYTES = 262_144;

/** Answer: the share of pixels that differ from 0 to 1; or the first picture that is too large; or that one can't be read. */
export type PixelAnswer =
  | { share: number }
  | { tooLarge: PictureSize; sideMaxPx: number }
  | { isUnreadable: true };

addEventListener("message", async ({ data: { before, now } }: MessageEvent<{ before: Blob; now: Blob }>) => {
  postMessage(await compare(before, now).catch((): PixelAnswer => ({ isUnreadable: true })));
});

async function compare(before: Blob, now: Blob): Promise<PixelAnswer> {
  // Before anything is decoded: a small file can claim to be a picture that no memory holds.
  for (const file of [before, now]) {
    const size = pictureSize(new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer()));
    if (!size) return { isUnreadable: true };
    if (Math.max(size.width, size.height) > SIDE_MAX_PX) return { tooLarge: size, sideMaxPx: SIDE_MAX_PX };
  }
  const pictures = [await createImageBitmap(before), await createImageBitmap(now)];
  // The smaller picture is padded: what only one of them has differs.
  const width = Math.max(...pictures.map((one) => one.width));
  const height = Math.max(...pictures.map((one) => one.height));
  const [first, second] = pictures.map((picture) => {
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context?.drawImage(picture, 0, 0);
    return context?.getImageData(0, 0, width, height).data;
  });
  if (!first || !second) return { isUnreadable: true };
  return {
    share: pixelmatch(first, second, undefined, width, height, { threshold: 0.1 }) / (width * height),
  };
}
