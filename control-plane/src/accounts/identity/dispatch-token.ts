/**
 * Dispatch tokens: they let the bearer deliver the result of one run at one location, for a short time, and nothing
 * else.
 */
import type { SecretBox } from "../../platform/db/secret-box.ts";

/** One run at one location: what a dispatch token allows to deliver. */
export interface DispatchGrant {
  checkKey: number;
  locationKey: number;
  slotMs: number;
}

const DISPATCH_TOKEN_PREFIX = "rdt_";
const PURPOSE = "dispatch-token";

/**
 * Returns a token for the grant.
 * @param expiresAtMs Unix ms from which on the token is refused
 */
export function signDispatchToken(secrets: SecretBox, grant: DispatchGrant, expiresAtMs: number): string {
  const text = [grant.checkKey, grant.locationKey, grant.slotMs, expiresAtMs].join(".");
  return `${DISPATCH_TOKEN_PREFIX}${text}.${secrets.sign(PURPOSE, text).toString("base64url")}`;
}

/** Returns what a token grants; undefined when it is malformed, altered or expired. */
export function verifyDispatchToken(
  secrets: SecretBox,
  token: string,
  nowMs: number,
): DispatchGrant | undefined {
  if (!token.startsWith(DISPATCH_TOKEN_PREFIX)) return undefined;
  const parts = token.slice(DISPATCH_TOKEN_PREFIX.length).split(".");
  const signature = Buffer.from(parts.pop() ?? "", "base64url");
  if (!secrets.hasSigned(PURPOSE, parts.join("."), signature)) return undefined;
  const [checkKey = 0, locationKey = 0, slotMs = 0, expiresAtMs = 0] = parts.map(Number);
  return nowMs < expiresAtMs ? { checkKey, locationKey, slotMs } : undefined;
}
