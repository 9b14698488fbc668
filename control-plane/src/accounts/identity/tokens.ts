/** Tokens: random texts that prove who calls. The service keeps their SHA-256 only. */
import { createHash, randomBytes } from "node:crypto";

/** `sk_` or `rk_` and 64 hexadecimal digits (32 random bytes). */
export function newKey(prefix: "sk_" | "rk_"): string {
  return prefix + randomBytes(32).toString("hex");
}

/** A token for a cookie or a link: 32 random bytes, URL-safe. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a key or token. Fast on purpose: there is nothing to guess in 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The first characters of a key, for display. */
export function keyPrefixOf(key: string): string {
  return key.slice(0, 11);
}

export const API_KEY_PATTERN = /^sk_[0-9a-f]{64}$/;
export const RUNNER_KEY_PATTERN = /^rk_[0-9a-f]{64}$/;
