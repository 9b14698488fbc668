/** Password hashes: scrypt, memory-hard, with its parameters stored beside each hash so that they can be raised. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const scryptHash = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Takes 32 MiB and some tenths of a second: one of the settings that OWASP's password storage sheet lists as equal. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** Returns the text to store: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), hash.toString("base64")].join("$");
}

/**
 * Returns true when the password is the one that was hashed. Without a stored hash (no such account, or one without a
 * password) the call takes as long and returns false, so that the time does not tell which accounts exist.
 */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [scheme, n, r, p, salt = "", hash = ""] = (stored ?? "").split("$");
  if (scheme !== "scrypt") {
    await derive(password, randomBytes(SALT_BYTES), COST);
    return false;
  }
  const expected = Buffer.from(hash, "base64");
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, "base64"), cost);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function derive(password: string, salt: Buffer, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  // A letter may be typed as different code points: one form for all keyboards.
  return scryptHash(password.normalize("NFKC"), salt, HASH_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r });
}
