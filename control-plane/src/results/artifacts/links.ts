/** Links to artifacts: whoever has one may fetch that file until it expires; made for those who may read the result. */
import { timingSafeEqual } from "node:crypto";
import { HOUR_MS } from "@svc/contract";
import type { SecretBox } from "../../platform/db/secret-box.ts";

const PURPOSE = "artifact-link";
const LIFETIME_MS = HOUR_MS;
/** Links made within this time are equal, so that a page that asks again and again does not load its pictures again. */
const STEP_MS = 600_000;

/** @returns a link that works for an hour, and ten minutes at most beyond */
export function linkTo(
  { secrets, publicUrl }: { secrets: SecretBox; publicUrl: string },
  artifactId: string,
  nowMs: number,
): { url: string; expiresAtMs: number } {
  const expiresAtMs = (Math.floor(nowMs / STEP_MS) + 1) * STEP_MS + LIFETIME_MS;
  const signature = sign(secrets, artifactId, expiresAtMs).toString("base64url");
  return {
    url: `${publicUrl}/api/artifacts/${artifactId}?expires=${expiresAtMs}&signature=${signature}`,
    expiresAtMs,
  };
}

/** What a link is worth. `expires`: Unix ms, as the link has it. */
export function judgeLink(
  secrets: SecretBox,
  { id, expires, signature }: { id: string; expires: number; signature: string },
  nowMs: number,
): "valid" | "expired" | "forged" {
  const given = Buffer.from(signature, "base64url");
  const expected = sign(secrets, id, expires);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "forged";
  return nowMs < expires ? "valid" : "expired";
}

function sign(secrets: SecretBox, artifactId: string, expiresAtMs: number): Buffer {
  return secrets.sign(PURPOSE, `${artifactId}.${expiresAtMs}`);
}
