/** Encrypts at rest the secrets that users entrust to the service: auth blocks, channel credentials, header values. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** Seals and opens secrets with AES-256-GCM under a key derived from SVC_SECRET_KEY. */
export interface SecretBox {
  /**
   * Seals a text for one row: moved to another row, it does not open.
   * @param rowId id of the row that holds the sealed text, with the prefix that tells the table
   * @returns version byte, key id (4 bytes), nonce (12), tag (16), ciphertext
   */
  seal(plain: string, rowId: string): Buffer;
  /**
   * Returns the plain text. Texts of the former version, which are bound to no row, open wherever they lie.
   * @throws Error when no known key fits, the text was altered, or it was sealed for another row
   */
  open(sealed: Buffer, rowId: string): string;
  /** True when the text was sealed under the current key and for one row; `secrets reseal` seals all others anew. */
  isCurrent(sealed: Buffer): boolean;
  /** Returns the HMAC-SHA-256 of a text under a key of its own for each purpose, for signed tokens and cookies. */
  sign(purpose: string, text: string): Buffer;
  /**
   * True when `sign` made the signature for this purpose and text, under the current key or a former one. Takes equal
   * time.
   */
  hasSigned(purpose: string, text: string, signature: Buffer): boolean;
}

/** Version of texts that are bound to a row: the row's id is authenticated with them. */
const VERSION = 2;
/** Version of texts that are bound to no row, as sealed before; opened only. */
const UNBOUND_VERSION = 1;

/**
 * Returns a secret box.
 * @param secretKey the current SVC_SECRET_KEY: seals and opens
 * @param previousKeys former ones: open and verify only, so that a key can be changed without losing what it sealed and
 * signed
 */
export function createSecretBox(secretKey: string, previousKeys: readonly string[] = []): SecretBox {
  const keys = [secretKey, ...previousKeys].map(deriveKey);
  const current = keys[0];
  if (!current) throw new Error("no secret key");
  return {
    seal(plain, rowId) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", current.encryption, nonce);
      cipher.setAAD(Buffer.from(rowId));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), current.id, nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, rowId) {
      const key = keys.find((candidate) => candidate.id.equals(sealed.subarray(1, 5)));
      const isBound = sealed[0] === VERSION;
      if ((!isBound && sealed[0] !== UNBOUND_VERSION) || !key)
        throw new Error("sealed under another key: is SVC_SECRET_KEY the one this database was used with?");
      const decipher = createDecipheriv("aes-256-gcm", key.encryption, sealed.subarray(5, 17));
      if (isBound) decipher.setAAD(Buffer.from(rowId));
      decipher.setAuthTag(sealed.subarray(17, 33));
      return decipher.update(sealed.subarray(33), undefined, "utf8") + decipher.final("utf8");
    },
    isCurrent: (sealed) => sealed[0] === VERSION && current.id.equals(sealed.subarray(1, 5)),
    sign: (purpose, text) => signUnder(secretKey, purpose, text),
    hasSigned: (purpose, text, signature) =>
      [secretKey, ...previousKeys].some((key) => {
        const expected = signUnder(key, purpose, text);
        return signature.length === expected.length && timingSafeEqual(signature, expected);
      }),
  };
}

function signUnder(secretKey: string, purpose: string, text: string): Buffer {
  return createHmac("sha256", derive(secretKey, `sign:${purpose}`))
    .update(text)
    .digest();
}

function deriveKey(secretKey: string) {
  return { id: derive(secretKey, "key-id").subarray(0, 4), encryption: derive(secretKey, "encryption") };
}

function derive(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "svc", purpose, 32));
}
