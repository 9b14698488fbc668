/** What a file is by how it begins: what a runner says of it is not believed. */

export type ArtifactType = "image/jpeg" | "image/png" | "video/webm";

/** First bytes in hexadecimal; a WebM file is a Matroska container that names the subset further on. */
const BEGINNINGS: readonly [ArtifactType, string][] = [
  ["image/jpeg", "ffd8ff"],
  ["image/png", "89504e470d0a1a0a"],
  ["video/webm", "1a45dfa3"],
];
/** The container's head, with its type, is shorter than this. */
const WEBM_HEAD_BYTES = 64;

export const EXTENSIONS: Record<ArtifactType, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "video/webm": "webm",
};

/** The type of a file that may be kept; undefined for any other. Pure. */
export function typeOf(content: Buffer): ArtifactType | undefined {
  const [type] = BEGINNINGS.find(([, hex]) => content.toString("hex", 0, hex.length / 2) === hex) ?? [];
  if (type === "video/webm" && !content.subarray(0, WEBM_HEAD_BYTES).includes("webm")) return undefined;
  return type;
}
