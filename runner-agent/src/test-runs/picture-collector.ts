/** The pictures of one test run, in memory and bounded, until they are reported. */
import type { ArtifactSink, NewArtifact, RunResult } from "@svc/probes";
import type { TestRunPicture } from "../model/test-run-report.ts";

/** Most pictures of a test run, and their bytes together: they travel in one message. */
const PICTURES_MAX = 6;
const BYTES_MAX = 1024 * 1024;

/** Collects the pictures that a test run takes. Videos, and pictures beyond the limits, are let go. */
export class PictureCollector implements ArtifactSink {
  readonly #jpegs = new Map<string, Buffer>();
  #bytes = 0;

  async keep({ sha256, contentType, content }: NewArtifact): Promise<boolean> {
    if (
      contentType === "image/jpeg" &&
      this.#jpegs.size < PICTURES_MAX &&
      this.#bytes + content.length <= BYTES_MAX
    ) {
      this.#jpegs.set(sha256, content);
      this.#bytes += content.length;
    }
    // What is let go is no fault of this runner, so the result is not to say that its folder is full.
    return true;
  }

  /** Returns the pictures of a result by their steps, and the result without its references to files. */
  claim({ detail, ...result }: RunResult): { result: RunResult; pictures: TestRunPicture[] } {
    if (detail === undefined) return { result, pictures: [] };
    const { screenshotsJson = [], videoJson: _video, ...others } = detail;
    const pictures = screenshotsJson.flatMap(({ step, sha256 }) => {
      const jpeg = this.#jpegs.get(sha256);
      // The same page at the end of several steps is one file.
      this.#jpegs.delete(sha256);
      return jpeg ? [{ step: step ?? "", jpeg }] : [];
    });
    return { result: { ...result, detail: others }, pictures };
  }
}
