/** Detects a file's type from its first bytes, since a runner's own statement is not trusted. */

import type { resultRoutes } from "@svc/contract";

/** Media type of an artifact; no other type is accepted. */
export type ArtifactType = (typeof resultRoutes.fetchArtifact.fileTypes)[number];

/** First bytes in hexadecimal; a WebM file is a Matroska container that names the subset further on. */
const BEGINNINGS: readonly [ArtifactType, string][] = [
  ["image/jpeg", "ffd8ff"],
  ["image/png", "89504e470d0a1a0a"],
  ["video/webm", "1a45dfa3"],
];
/** The head of a WebM container, which names the type, is shorter than this. */
const WEBM_HEAD_BYTES = 64;

/** Extensions of file names by the content type of an artifact. */
export const EXTENSIONS: Record<ArtifactType, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "video/webm": "webm",
};

/** Returns the type of a file that may be stored; undefined for any other. Pure. */
export function typeOf(content: Buffer): ArtifactType | undefined {
  const [type] = BEGINNINGS.find(([, hex]) => content.toString("hex", 0, hex.length / 2) === hex) ?? [];
  if (type === "video/webm" && !content.subarray(0, WEBM_HEAD_BYTES).includes("webm")) return undefined;
  return type;
}
