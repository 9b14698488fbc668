/** Endpoints of webhooks, at rest: sealed, because the path of a URL is often a credential. */
import { randomBytes } from "node:crypto";
import { invalidField, type StatusSubscriberId } from "@svc/contract";
import { addressDenial, addressOfHost } from "@svc/egress";
import type { SecretBox } from "../../platform/db/secret-box.ts";

/** An endpoint, and the secret that signs the requests to it: `whsec_` and 32 bytes in base64. */
export interface Endpoint {
  url: string;
  secret: string;
}

const FINGERPRINT_DIGITS = 8;

/** Returns a secret for a new endpoint. */
export function newEndpointSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Seals an endpoint for its subscriber's row. */
export function sealEndpoint(secrets: SecretBox, id: StatusSubscriberId, endpoint: Endpoint): Buffer {
  return secrets.seal(JSON.stringify(endpoint), id);
}

/** @throws Error when it was sealed under a key that is not known any more */
export function openEndpoint(secrets: SecretBox, id: StatusSubscriberId, sealed: Buffer): Endpoint {
  return JSON.parse(secrets.open(sealed, id)) as Endpoint;
}

/** True when a sealed endpoint has this URL; false for one that was sealed under a key that is not known any more. */
export function isEndpointOf(
  secrets: SecretBox,
  { id, endpointSealed }: { id: StatusSubscriberId; endpointSealed: Buffer },
  url: string,
): boolean {
  try {
    return new URL(openEndpoint(secrets, id, endpointSealed).url).href === new URL(url).href;
  } catch {
    return false;
  }
}

/**
 * Refuses a URL whose host is an address to which no request is ever sent. Addresses of names are looked at when one is sent.
 * @throws DomainError `invalid`
 */
export function assertMayBeReached(url: string, allowPrivate: boolean): void {
  const address = addressOfHost(new URL(url).hostname);
  const reason = address && addressDenial(address, { allowPrivate });
  if (reason) throw invalidField("url", `${address} is never requested: ${reason}`);
}

/** A URL as it is shown. */
export interface ShownEndpoint {
  /** Nothing beyond its host. */
  address: string;
  /** 8 hexadecimal digits that differ from those of another URL. */
  fingerprint: string;
}

/**
 * Returns a URL as it is shown. The fingerprint is signed with the service's key, so that nobody who has only the answer can try
 * out tokens against it.
 */
export function shownEndpoint(secrets: SecretBox, { url }: Pick<Endpoint, "url">): ShownEndpoint {
  const { origin, href } = new URL(url);
  const signed = secrets.sign("status-webhook-fingerprint", href).toString("hex");
  return { address: `${origin}/***`, fingerprint: signed.slice(0, FINGERPRINT_DIGITS) };
}
