/**
 * Seals the values of secrets to the key of one runner, so that only its agent opens them: no other runner, and nobody who
 * reads what is stored on the way. The layout is described at Check.sealed_secrets of runner.proto; the agent's side is
 * runner-agent/src/disk/secrets-key.ts.
 */
import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { DomainError } from "@svc/contract";

/** Seals texts to the key of one runner. */
export interface RunnerSealer {
  /** Seals a text for one check: sent with another check, it does not open. */
  seal(plain: string, checkId: string): Buffer;
}

const VERSION = 1;
const KEY_BYTES = 32;
const INFO = "svc vault v1";

/**
 * Returns the sealer of a session. It has a key pair of its own, so that the costly agreement on a key happens once.
 * @param publicKey the agent's X25519 key, 32 bytes
 * @throws DomainError `invalid` when these bytes are no usable key
 */
export function createRunnerSealer(publicKey: Uint8Array): RunnerSealer {
  const { key, ownPublicKey } = agreeOnKey(publicKey);
  return {
    seal(plain, checkId) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(Buffer.from(`${INFO} ${checkId}`));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), ownPublicKey, nonce, cipher.getAuthTag(), text]);
    },
  };
}

function agreeOnKey(publicKey: Uint8Array): { key: Buffer; ownPublicKey: Buffer } {
  if (publicKey.length !== KEY_BYTES)
    throw new DomainError(
      "invalid",
      `secrets_public_key has ${publicKey.length} bytes; expected ${KEY_BYTES}`,
    );
  const own = generateKeyPairSync("x25519");
  const ownPublicKey = rawPublicKey(own.publicKey);
  try {
    const theirs = createPublicKey({
      key: { kty: "OKP", crv: "X25519", x: Buffer.from(publicKey).toString("base64url") },
      format: "jwk",
    });
    const shared = diffieHellman({ privateKey: own.privateKey, publicKey: theirs });
    const salt = Buffer.concat([ownPublicKey, publicKey]);
    return { key: Buffer.from(hkdfSync("sha256", shared, salt, INFO, 32)), ownPublicKey };
  } catch (error) {
    // Some points lead to a secret that everybody knows; OpenSSL refuses them.
    throw new DomainError("invalid", "secrets_public_key is not a usable X25519 key", { cause: error });
  }
}

/** Returns the 32 bytes of an X25519 public key. */
function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
}
