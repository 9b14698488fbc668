/** How a subscriber of a status page is shown. */
import type { StatusSubscriber } from "@svc/contract";

/** Returns the address; behind that of a webhook its fingerprint, which tells apart two of one host. */
export function subscriberName({
  address,
  fingerprint,
}: Pick<StatusSubscriber, "address" | "fingerprint">): string {
  // Services of earlier versions answer no fingerprint.
  return fingerprint ? `${address} (${fingerprint})` : address;
}
