/**
 * Keeps the files of runs until their result is known. Files that the result names are uploaded; the others (of an
 * attempt that was repeated, of a slot that is given back) are removed. A file is on disk before the result that names
 * it counts as done.
 */
import type { ResultDetail } from "@svc/contract";
import type { ArtifactSink } from "@svc/probes";
import { type SlotKey, slotId } from "../model/assignment.ts";
import type { ArtifactFolder, KeptArtifact } from "./artifact-folder.ts";
import type { ArtifactSender } from "./artifact-sender.ts";

/** Files of the runs of this agent. */
export class RunArtifacts {
  readonly #folder: ArtifactFolder;
  readonly #sender: ArtifactSender;
  /** Kept files of runs under way. */
  readonly #open = new Map<string, KeptArtifact[]>();

  constructor(folder: ArtifactFolder, sender: ArtifactSender) {
    this.#folder = folder;
    this.#sender = sender;
  }

  /** Uploads the files that an earlier process left. */
  start(): void {
    this.#sender.add(this.#folder.list());
  }

  /** Returns the sink that a run's probe puts its files into. */
  sinkFor(run: SlotKey): ArtifactSink {
    const kept: KeptArtifact[] = [];
    return {
      keep: async ({ sha256, content }) => {
        const { checkKey, locationKey, slotMs } = run;
        const artifact = { checkKey, locationKey, slotMs, sha256 };
        const isKept = await this.#folder.keep(artifact, content);
        if (isKept) this.#open.set(slotId(run), kept);
        if (isKept && !kept.some((one) => one.sha256 === sha256)) kept.push(artifact);
        return isKept;
      },
    };
  }

  /**
   * Uploads or removes the files of a run that ended.
   * @param detail the result's detail; undefined: the run has no result, or none with a detail
   */
  runEnded(run: SlotKey, detail: ResultDetail | undefined): void {
    if (this.#open.size === 0) return;
    const kept = this.#open.get(slotId(run)) ?? [];
    this.#open.delete(slotId(run));
    const named = new Set((detail?.screenshotsJson ?? []).map(({ sha256 }) => sha256));
    if (detail?.videoJson) named.add(detail.videoJson.sha256);
    this.#sender.add(kept.filter(({ sha256 }) => named.has(sha256)));
    for (const artifact of kept) if (!named.has(artifact.sha256)) void this.#folder.remove(artifact);
  }
}
