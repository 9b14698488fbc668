/**
 * Keeps the files of runs until their result is known: those that it names are sent, the others (of an attempt that was
 * repeated, of a run that is given back) removed. A file is on disk before the result that names it counts as done.
 */
import type { ResultDetail } from "@svc/contract";
import type { ArtifactSink } from "@svc/probes";
import type { ArtifactFolder, KeptArtifact } from "./artifact-folder.ts";
import type { ArtifactSender } from "./artifact-sender.ts";

/** A slot of a check at a location. */
export interface RunKey {
  checkKey: number;
  locationKey: number;
  slotMs: number;
}

export class ArtifactKeeper {
  readonly #folder: ArtifactFolder;
  readonly #sender: ArtifactSender;
  /** Kept files of runs under way. */
  readonly #open = new Map<string, KeptArtifact[]>();

  constructor(folder: ArtifactFolder, sender: ArtifactSender) {
    this.#folder = folder;
    this.#sender = sender;
  }

  /** Sends what a process before this one left. */
  start(): void {
    this.#sender.add(this.#folder.list());
  }

  /** Where a run's probe puts its files. */
  sinkFor(run: RunKey): ArtifactSink {
    const kept: KeptArtifact[] = [];
    return {
      keep: async ({ sha256, content }) => {
        const { checkKey, locationKey, slotMs } = run;
        const artifact = { checkKey, locationKey, slotMs, sha256 };
        const isKept = await this.#folder.keep(artifact, content);
        if (isKept) this.#open.set(idOf(run), kept);
        if (isKept && !kept.some((one) => one.sha256 === sha256)) kept.push(artifact);
        return isKept;
      },
    };
  }

  /** The run came to this; undefined: to nothing. */
  runEnded(run: RunKey, detail: ResultDetail | undefined): void {
    const kept = this.#open.get(idOf(run)) ?? [];
    this.#open.delete(idOf(run));
    const named = new Set((detail?.screenshotsJson ?? []).map(({ sha256 }) => sha256));
    if (detail?.videoJson) named.add(detail.videoJson.sha256);
    this.#sender.add(kept.filter(({ sha256 }) => named.has(sha256)));
    for (const artifact of kept) if (!named.has(artifact.sha256)) void this.#folder.remove(artifact);
  }
}

function idOf({ checkKey, locationKey, slotMs }: RunKey): string {
  return `${checkKey}/${locationKey}/${slotMs}`;
}
