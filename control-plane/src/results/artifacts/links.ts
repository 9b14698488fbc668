/** Signs and verifies links to artifacts. Anyone who has a link may fetch its file until the link expires. */
import { type ArtifactId, HOUR_MS } from "@svc/contract";
import type { SecretBox } from "../../platform/db/secret-box.ts";

const PURPOSE = "artifact-link";
const LIFETIME_MS = HOUR_MS;
/** Links made within this time are equal, so that a page that refreshes does not load its pictures again. */
const STEP_MS = 600_000;

/** Returns a link that works for at least an hour and at most ten minutes more. */
export function linkTo(
  { secrets, publicUrl }: { secrets: SecretBox; publicUrl: string },
  artifactId: ArtifactId,
  nowMs: number,
): { url: string; expiresAtMs: number } {
  const expiresAtMs = (Math.floor(nowMs / STEP_MS) + 1) * STEP_MS + LIFETIME_MS;
  const signature = secrets.sign(PURPOSE, signedText(artifactId, expiresAtMs)).toString("base64url");
  return {
    url: `${publicUrl}/api/artifacts/${artifactId}?expires=${expiresAtMs}&signature=${signature}`,
    expiresAtMs,
  };
}

/** Judges a link. `expires` is the link's own, Unix ms. */
export function judgeLink(
  secrets: SecretBox,
  { id, expires, signature }: { id: ArtifactId; expires: number; signature: string },
  nowMs: number,
): "valid" | "expired" | "forged" {
  if (!secrets.hasSigned(PURPOSE, signedText(id, expires), Buffer.from(signature, "base64url")))
    return "forged";
  return nowMs < expires ? "valid" : "expired";
}

function signedText(artifactId: ArtifactId, expiresAtMs: number): string {
  return `${artifactId}.${expiresAtMs}`;
}
