/**
 * Records videos with Playwright's own recorder, which wants its own ffmpeg in a folder that the agent may have
 * prepared.
 */
import { existsSync, mkdtempSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Width of a video, which is enough to see what happened. A page's own width if that is smaller. */
const WIDTH_MAX = 800;

/** Returns the options for recording; undefined when this machine can't record. */
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

/** Returns the first video in a folder, and removes the folder. */
export async function collectVideo(folder: string): Promise<Buffer | undefined> {
  try {
    const [name] = (await readdir(folder)).filter((file) => file.endsWith(".webm"));
    return name === undefined ? undefined : await readFile(join(folder, name));
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
