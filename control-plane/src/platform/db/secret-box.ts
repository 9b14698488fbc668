/** Encrypts at rest the secrets that users entrust to the service: auth blocks, channel credentials, header values. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Seals and opens secrets with AES-256-GCM under a key derived from SVC_SECRET_KEY. */
export interface SecretBox {
  /** Returns version byte, key id (4 bytes), nonce (12), tag (16), ciphertext. */
  seal(plain: string): Buffer;
  /**
   * Returns the plain text.
   * @throws Error when no known key fits or the text was altered
   */
  open(sealed: Buffer): string;
  /** True when the text was sealed under the current key; former keys only open. */
  isCurrent(sealed: Buffer): boolean;
  /** Returns the HMAC-SHA-256 of a text under a key of its own for each purpose, for signed tokens and cookies. */
  sign(purpose: string, text: string): Buffer;
}

const VERSION = 1;

/**
 * Returns a secret box.
 * @param secretKey the current SVC_SECRET_KEY: seals and opens
 * @param previousKeys former ones: open only, so that a key can be changed without losing what it sealed
 */
export function createSecretBox(secretKey: string, previousKeys: readonly string[] = []): SecretBox {
  const keys = [secretKey, ...previousKeys].map(deriveKey);
  const current = keys[0];
  if (!current) throw new Error("no secret key");
  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", current.encryption, nonce);
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), current.id, nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      const key = keys.find((candidate) => candidate.id.equals(sealed.subarray(1, 5)));
      if (sealed[0] !== VERSION || !key)
        throw new Error("sealed under another key: is SVC_SECRET_KEY the one this database was used with?");
      const decipher = createDecipheriv("aes-256-gcm", key.encryption, sealed.subarray(5, 17));
      decipher.setAuthTag(sealed.subarray(17, 33));
      return decipher.update(sealed.subarray(33), undefined, "utf8") + decipher.final("utf8");
    },
    isCurrent: (sealed) => sealed[0] === VERSION && current.id.equals(sealed.subarray(1, 5)),
    sign(purpose, text) {
      return createHmac("sha256", derive(secretKey, `sign:${purpose}`))
        .update(text)
        .digest();
    },
  };
}

function deriveKey(secretKey: string) {
  return { id: derive(secretKey, "key-id").subarray(0, 4), encryption: derive(secretKey, "encryption") };
}

function derive(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "svc", purpose, 32));
}
