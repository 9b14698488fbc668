/**
 * Links in mails of status pages: one confirms a subscription, one ends it. Each subscriber has a key of its own, so that a link works
 * as long as the subscription lasts, whichever keys the service has given up meanwhile.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isId, type StatusSubscriberId } from "@svc/contract";

/** Path of the page of a link that confirms. */
export const CONFIRM_PATH = "/status-subscriptions/confirm";
/** Path of the page of a link that unsubscribes. */
export const UNSUBSCRIBE_PATH = "/status-subscriptions/unsubscribe";

const KEY_BYTES = 32;
type Use = "confirm" | "unsubscribe";

/** A subscriber, and the key under which its links are signed. */
export interface Linked {
  id: StatusSubscriberId;
  linkKey: Buffer;
}

/** Returns a key for the links of a new subscriber. */
export function newLinkKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Returns the token by which a subscription is confirmed until an instant, Unix ms. */
export function confirmTokenOf({ id, linkKey }: Linked, untilMs: number): string {
  return signed("confirm", `${id}.${untilMs}`, linkKey);
}

/** Returns the token by which a subscription is ended, at any time. */
export function unsubscribeTokenOf({ id, linkKey }: Linked): string {
  return signed("unsubscribe", id, linkKey);
}

/** Returns the subscriber that a token names, rightly or not; undefined when it is malformed. */
export function subscriberNamedBy(token: string): StatusSubscriberId | undefined {
  const [id = ""] = token.split(".", 1);
  return isId("statusSubscriber", id) ? (id as StatusSubscriberId) : undefined;
}

/** True when a token confirms the subscription at an instant: it was not altered, and has not expired. */
export function isConfirmToken(token: string, { id, linkKey }: Linked, nowMs: number): boolean {
  const untilMs = Number(token.split(".")[1]);
  return nowMs < untilMs && isEqual(token, confirmTokenOf({ id, linkKey }, untilMs));
}

/** True when a token ends the subscription: it was not altered. */
export function isUnsubscribeToken(token: string, linked: Linked): boolean {
  return isEqual(token, unsubscribeTokenOf(linked));
}

function signed(use: Use, text: string, linkKey: Buffer): string {
  return `${text}.${createHmac("sha256", linkKey).update(`${use}:${text}`).digest("base64url")}`;
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
