/**
 * The agent's key pair for secrets of teams: made on the first start and kept in the data folder (0600). The control
 * plane seals values to the public key; the layout is described at Check.sealed_secrets of runner.proto, and the
 * control plane's side is control-plane/src/fleet/runner-sealer.ts.
 */
import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Opens what was sealed to this agent. */
export interface SecretsKey {
  /** The public key for the Hello, 32 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * Returns the text that was sealed for a check.
   * @throws Error when it was sealed to another key or for another check, or was altered
   */
  open(sealed: Uint8Array, checkId: string): string;
}

const FILE_NAME = "secrets-key";
const VERSION = 1;
const INFO = "svc vault v1";
const [SENDER_END, NONCE_END, TAG_END] = [33, 45, 61];

/**
 * Reads the key pair from the data folder, or makes it there. One that can't be read is replaced: values come sealed
 * anew.
 */
export function openSecretsKey(folder: string): SecretsKey {
  const path = join(folder, FILE_NAME);
  const privateKey = readKey(path) ?? makeKey(path);
  const publicKey = Buffer.from(createPublicKey(privateKey).export({ format: "jwk" }).x ?? "", "base64url");
  /** The key of the sender that was met last: a session has one sender. */
  let last: { sender: Buffer; key: Buffer } | undefined;
  const keyWith = (sender: Buffer) => {
    if (!last?.sender.equals(sender)) last = { sender, key: agreeOnKey(privateKey, publicKey, sender) };
    return last.key;
  };
  return {
    publicKey,
    open(sealed, checkId) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION || bytes.length < TAG_END)
        throw new Error("the secrets are sealed in a form that this agent does not know");
      const decipher = createDecipheriv(
        "aes-256-gcm",
        keyWith(bytes.subarray(1, SENDER_END)),
        bytes.subarray(SENDER_END, NONCE_END),
      );
      decipher.setAAD(Buffer.from(`${INFO} ${checkId}`));
      decipher.setAuthTag(bytes.subarray(NONCE_END, TAG_END));
      return decipher.update(bytes.subarray(TAG_END), undefined, "utf8") + decipher.final("utf8");
    },
  };
}

function agreeOnKey(privateKey: KeyObject, ownPublicKey: Uint8Array, sender: Buffer): Buffer {
  const theirs = createPublicKey({
    key: { kty: "OKP", crv: "X25519", x: Buffer.from(sender).toString("base64url") },
    format: "jwk",
  });
  const shared = diffieHellman({ privateKey, publicKey: theirs });
  return Buffer.from(hkdfSync("sha256", shared, Buffer.concat([sender, ownPublicKey]), INFO, 32));
}

function readKey(path: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(readFileSync(path));
    return key.asymmetricKeyType === "x25519" ? key : undefined;
  } catch {
    return undefined;
  }
}

function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync("x25519");
  const temporary = `${path}.new`;
  writeFileSync(temporary, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600, flush: true });
  renameSync(temporary, path);
  return privateKey;
}
