/** Compares two pictures of the service in a worker. */
import { pictureAt } from "../../api/request.ts";
import { trustedScript } from "../../live/trusted-script.ts";
import { numberText } from "../../time/format.ts";
import type { PixelAnswer } from "./pixel-worker.ts";
import workerUrl from "./pixel-worker.ts?worker&url";

/** Longest that a comparison takes. */
const TIMEOUT_MS = 2_000;

/**
 * Returns the share of pixels that differ, from 0 to 1.
 * @param before @param now paths of the pictures
 * @throws Error when a picture is too large or can't be read, or it took too long
 */
export async function comparePictures(before: string, now: string, signal: AbortSignal): Promise<number> {
  const [first, second] = await Promise.all([before, now].map((path) => pictureAt(path, signal)));
  const worker = new Worker(trustedScript(workerUrl) as string, { type: "module" });
  try {
    return await new Promise<number>((resolve, reject) => {
      const give = () => reject(new Error("it took too long"));
      const timer = setTimeout(give, TIMEOUT_MS);
      signal.addEventListener("abort", give, { once: true });
      worker.onmessage = ({ data }: MessageEvent<PixelAnswer>) => {
        clearTimeout(timer);
        if ("share" in data) resolve(data.share);
        else reject(new Error(reasonOf(data)));
      };
      worker.onerror = () => reject(new Error("the comparison broke"));
      worker.postMessage({ before: first, now: second });
    });
  } finally {
    worker.terminate();
  }
}

function reasonOf(answer: Exclude<PixelAnswer, { share: number }>): string {
  if ("isUnreadable" in answer) return "a picture can't be read";
  const [width, height, most] = [answer.tooLarge.width, answer.tooLarge.height, answer.sideMaxPx].map(
    numberText,
  );
  return `a picture has ${width} x ${height} px, and ${most} px a side are the most that is compared`;
}
