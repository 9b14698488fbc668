/**
 * Encryption of records in the data folder: AES-256-GCM under a key derived (HKDF-SHA256) from the runner key. A copy of the
 * folder reveals nothing about the checks, and becomes worthless once the key is revoked and replaced.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and decrypts records under the key of this agent. */
export interface Seal {
  /**
   * Encrypts a text.
   * @param label the record's name; `open` needs an equal one
   */
  seal(label: string, text: string): Buffer;
  /** Returns the text, or undefined when it was sealed under another key or label, or was tampered with. */
  open(label: string, sealed: Uint8Array): string | undefined;
}

/**
 * Returns the seal of a runner key.
 * @param salt random bytes, stored beside the sealed records
 */
export function sealFor(runnerKey: string, salt: Uint8Array): Seal {
  const key = Buffer.from(hkdfSync("sha256", runnerKey, salt, "svc-runner data folder v1", 32));
  return {
    seal(label, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(Buffer.from(label));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(label, sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(label));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([
          decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
          decipher.final(),
        ]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
