/** Requests to webhooks of status pages, signed as Standard Webhooks have it (standardwebhooks.com). Pure. */
import { createHash, createHmac } from "node:crypto";
import { SECOND_MS, type StatusWebhookBody } from "@svc/contract";
import type { ChannelRequest } from "../../outbox/channels/http-request.ts";
import type { Endpoint } from "../subscribers/endpoint.ts";
import type { ClaimedDelivery } from "./delivery-store.ts";

/**
 * Returns the request that tells an endpoint of an announcement. `webhook-id` is equal in each attempt.
 * @param nowMs instant of the attempt, Unix ms, which is signed
 */
export function webhookRequest(
  { subscriberId, announcement, page }: ClaimedDelivery,
  { url, secret }: Endpoint,
  { pageUrl, nowMs }: { pageUrl: string; nowMs: number },
): ChannelRequest | undefined {
  if (!announcement) return undefined;
  const { content, noticeId, occasion } = announcement;
  const body: StatusWebhookBody = {
    schema_version: 1,
    eventType: content.eventType,
    occurredAt: content.occurredAt,
    page: { slug: page.slug, title: page.title, url: pageUrl },
    notice: content.notice,
    update: content.update,
  };
  const text = JSON.stringify(body);
  const id = `msg_${createHash("sha256").update([noticeId, occasion, subscriberId].join("\n")).digest("hex").slice(0, 32)}`;
  const timestamp = String(Math.floor(nowMs / SECOND_MS));
  return {
    url,
    method: "POST",
    headers: {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signatureOf(secret, `${id}.${timestamp}.${text}`)}`,
    },
    text,
  };
}

function signatureOf(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", key).update(signed).digest("base64");
}
