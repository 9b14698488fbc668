/** Videos of a run, by Playwright's own recorder, which wants its own ffmpeg in a folder that the agent may have prepared. */
import { existsSync, mkdtempSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Larger than the page is not needed, and smaller is enough to see what happened. */
const WIDTH_MAX = 800;

/** How to record, or undefined when this machine can't. */
export function videoOptions(size: {
  width: number;
  height: number;
}): { dir: string; size: { width: number; height: number } } | undefined {
  const browsers = process.env.PLAYWRIGHT_BROWSERS_PATH;
  if (browsers === undefined || !existsSync(browsers)) return undefined;
  const scale = Math.min(1, WIDTH_MAX / size.width);
  const even = (length: number) => 2 * Math.max(1, Math.floor((length * scale) / 2));
  return {
    dir: mkdtempSync(join(tmpdir(), "video-")),
    size: { width: even(size.width), height: even(size.height) },
  };
}

/** The first video in the folder, which is gone afterwards. */
export async function takeVideo(folder: string): Promise<Buffer | undefined> {
  try {
    const [name] = (await readdir(folder)).filter((file) => file.endsWith(".webm"));
    return name === undefined ? undefined : await readFile(join(folder, name));
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
