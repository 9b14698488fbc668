/** Links in mails of status pages: one confirms a subscription, one ends it. They carry their own proof; nothing of them is stored. */
import { isId, type StatusSubscriberId } from "@svc/contract";
import type { SecretBox } from "../../platform/db/secret-box.ts";

/** Path of the page of a link that confirms. */
export const CONFIRM_PATH = "/status-subscriptions/confirm";
/** Path of the page of a link that unsubscribes. */
export const UNSUBSCRIBE_PATH = "/status-subscriptions/unsubscribe";

const PURPOSES = { confirm: "status-subscription-confirm", unsubscribe: "status-subscription-end" } as const;
type Use = keyof typeof PURPOSES;

/** Returns the token by which a subscription is confirmed until an instant, Unix ms. */
export function confirmTokenOf(secrets: SecretBox, id: StatusSubscriberId, untilMs: number): string {
  return signed(secrets, "confirm", `${id}.${untilMs}`);
}

/** Returns the token by which a subscription is ended, at any time. */
export function unsubscribeTokenOf(secrets: SecretBox, id: StatusSubscriberId): string {
  return signed(secrets, "unsubscribe", id);
}

/** Returns whose subscription a token confirms; undefined when it is malformed, was altered or has expired. */
export function verifyConfirmToken(
  secrets: SecretBox,
  token: string,
  nowMs: number,
): StatusSubscriberId | undefined {
  const text = verified(secrets, "confirm", token);
  const [id = "", until] = text?.split(".") ?? [];
  return isId("statusSubscriber", id) && nowMs < Number(until) ? (id as StatusSubscriberId) : undefined;
}

/** Returns whose subscription a token ends; undefined when it is malformed or was altered. */
export function verifyUnsubscribeToken(secrets: SecretBox, token: string): StatusSubscriberId | undefined {
  const id = verified(secrets, "unsubscribe", token) ?? "";
  return isId("statusSubscriber", id) ? (id as StatusSubscriberId) : undefined;
}

function signed(secrets: SecretBox, use: Use, text: string): string {
  return `${text}.${secrets.sign(PURPOSES[use], text).toString("base64url")}`;
}

function verified(secrets: SecretBox, use: Use, token: string): string | undefined {
  const at = token.lastIndexOf(".");
  const text = token.slice(0, Math.max(0, at));
  return secrets.hasSigned(PURPOSES[use], text, Buffer.from(token.slice(at + 1), "base64url"))
    ? text
    : undefined;
}
