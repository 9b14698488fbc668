/** Compares two pictures pixel by pixel, apart from the page. */
import pixelmatch from "pixelmatch";

/** Longest side of a picture that is compared, px. */
const SIDE_MAX_PX = 8_192;

/** Answer: the share of pixels that differ from 0 to 1, null when the pictures are too large; or that one can't be read. */
export type PixelAnswer = { share: number | null } | { isUnreadable: true };

addEventListener("message", async ({ data: { before, now } }: MessageEvent<{ before: Blob; now: Blob }>) => {
  const answer = await shareOf(before, now).then(
    (share): PixelAnswer => ({ share }),
    (): PixelAnswer => ({ isUnreadable: true }),
  );
  postMessage(answer);
});

async function shareOf(before: Blob, now: Blob): Promise<number | null> {
  const pictures = [await createImageBitmap(before), await createImageBitmap(now)];
  // The smaller picture is padded: what only one of them has differs.
  const width = Math.max(...pictures.map((one) => one.width));
  const height = Math.max(...pictures.map((one) => one.height));
  if (Math.max(width, height) > SIDE_MAX_PX) return null;
  const [first, second] = pictures.map((picture) => {
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context?.drawImage(picture, 0, 0);
    return context?.getImageData(0, 0, width, height).data;
  });
  if (!first || !second) return null;
  return pixelmatch(first, second, undefined, width, height, { threshold: 0.1 }) / (width * height);
}
