/** Hands the pictures and the video of a run to the agent's artifact store. */
import { createHash } from "node:crypto";
import type { ResultDetail, Screenshot } from "@svc/contract";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";
import type { WatchedRun } from "./process/watched-run.ts";

/**
 * Keeps a run's artifacts.
 * @returns the parts of the detail that name those that were kept, and the number of those that the store had no space for
 */
export async function keepArtifacts(
  run: WatchedRun,
  { checkId, slotMs }: ProbeRequest,
  { artifacts }: ProbeContext,
): Promise<{ detail: ResultDetail; dropped: number }> {
  const screenshots: Screenshot[] = [];
  const detail: ResultDetail = {};
  let dropped = 0;
  for (const { kind, content, step, takenAt } of run.artifacts) {
    const contentType = kind === "video" ? "video/webm" : "image/jpeg";
    const sha256 = createHash("sha256").update(content).digest("hex");
    if (!artifacts || !isOfType(content, contentType)) continue;
    if (!(await artifacts.keep({ sha256, contentType, content, checkId, slotMs }))) {
      dropped++;
      continue;
    }
    const artifact = { sha256, contentType, bytes: content.length, takenAt } as const;
    if (kind === "video") detail.videoJson = artifact;
    else screenshots.push({ step, ...artifact });
  }
  return { detail: { ...detail, screenshotsJson: screenshots }, dropped };
}

/** Returns the note about artifacts that the store had no space for; none when it took all. */
export function droppedArtifactNotes(dropped: number): string[] {
  if (dropped === 0) return [];
  const files = dropped === 1 ? "1 picture or video was" : `${dropped} pictures or videos were`;
  return [`${files} left out: the runner's folder for them was full`];
}

/** True when a file begins as its type does. A hostile script may send anything, and people are shown it as this type. */
function isOfType(content: Buffer, contentType: "image/jpeg" | "video/webm"): boolean {
  const beginning = contentType === "image/jpeg" ? "ffd8ff" : "1a45dfa3";
  return content.toString("hex", 0, beginning.length / 2) === beginning;
}
