/** Endpoints of webhooks, at rest: sealed, because the path of a URL is often a credential. */
import { randomBytes } from "node:crypto";
import type { StatusSubscriberId } from "@svc/contract";
import type { SecretBox } from "../../platform/db/secret-box.ts";

/** An endpoint, and the secret that signs the requests to it: `whsec_` and 32 bytes in base64. */
export interface Endpoint {
  url: string;
  secret: string;
}

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

/** Returns a URL as it is shown: nothing beyond its host. */
export function shownEndpoint({ url }: Pick<Endpoint, "url">): string {
  return `${new URL(url).origin}/***`;
}
