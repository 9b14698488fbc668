/** What a browser check needs from where it runs: something that carries it out, and a place for its pictures. */
import type { Artifact } from "@svc/contract";
import type { ProbeContext, ProbeOutcome, ProbeRequest } from "./probe.ts";

/** Runs browser checks on this machine. */
export interface BrowserHost {
  /** Never rejects: what goes wrong here is a fault. */
  run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome>;
}

/** A picture or video on its way to the control plane. */
export interface NewArtifact {
  sha256: string;
  contentType: Artifact["contentType"];
  content: Buffer;
  checkId: string;
  slotMs: number;
}

/** Takes pictures and videos, to deliver them sooner or later. */
export interface ArtifactSink {
  /** Keeps one. @returns false when there is no room for it   Never rejects. */
  keep(artifact: NewArtifact): Promise<boolean>;
}
