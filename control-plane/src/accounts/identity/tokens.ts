/** Tokens: random texts that prove who calls. The service stores only their SHA-256. */
import { createHash, randomBytes } from "node:crypto";

/** Matches every text that has the form of an API key. */
export const API_KEY_PATTERN = /^sk_[0-9a-f]{64}$/;
/** Matches every text that has the form of a runner key. */
export const RUNNER_KEY_PATTERN = /^rk_[0-9a-f]{64}$/;

/** Matches every text that has the form of the secret of a display link. */
export const DISPLAY_SECRET_PATTERN = /^dl_[0-9a-f]{64}$/;

/** Returns a new key: the prefix and 64 hexadecimal digits (32 random bytes). */
export function newKey(prefix: "sk_" | "rk_" | "dl_"): string {
  return prefix + randomBytes(32).toString("hex");
}

/** Returns a new token for a cookie or a link: 32 random bytes, URL-safe. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hash under which a key or token is stored. Fast on purpose: nobody guesses 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Returns the first characters of a key, for display. */
export function keyPrefixOf(key: string): string {
  return key.slice(0, 11);
}
