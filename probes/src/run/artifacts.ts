/** The pictures and videos that runs take, and the place that keeps them until they are delivered. */
import type { Artifact } from "@svc/contract";

/** A picture or video on its way to the control plane. */
export interface NewArtifact {
  sha256: string;
  contentType: Artifact["contentType"];
  content: Buffer;
  checkId: string;
  slotMs: number;
}

/** A store that takes artifacts now and delivers them sooner or later. */
export interface ArtifactSink {
  /**
   * Keeps an artifact. Never rejects.
   * @returns false when the store is full
   */
  keep(artifact: NewArtifact): Promise<boolean>;
}
