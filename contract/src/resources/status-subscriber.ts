/** Subscribers of status pages: who has the notices of a page sent, by mail or by webhook. Addresses are personal data. */
import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import {
  componentsOfNoticeSchema,
  NOTICE_IMPACTS,
  NOTICE_KINDS,
  noticeUpdateSchema,
} from "./status-notice.ts";

/** Most webhooks of a status page. */
export const STATUS_WEBHOOKS_MAX = 20;

const SUBSCRIBER_TYPES = ["email", "webhook"] as const;
/** Way by which a subscriber is notified. */
export type StatusSubscriberType = (typeof SUBSCRIBER_TYPES)[number];

/** Schema of a mail address that subscribes. */
export const subscriberAddressSchema = z
  .string()
  .trim()
  .max(254, "an address has at most 254 characters")
  .pipe(z.email("expected an email address"));

/** Body of the form by which somebody subscribes to a published page. */
export const subscribeSchema = z.object({
  email: z.string().max(1_000).describe("Address to which a mail with a link is sent."),
});

/** Body of POST /api/status-pages/:id/subscribers: an endpoint of the team's own. People subscribe by the page itself. */
export const createStatusWebhookSchema = closedObject({
  url: httpUrlSchema.describe("Endpoint to which each update of a notice is posted."),
});
/** Body of the request that subscribes an endpoint. */
export type CreateStatusWebhook = z.infer<typeof createStatusWebhookSchema>;

/** Schema of a subscriber as the page's team reads it. */
export const statusSubscriberSchema = z
  .object({
    id: idSchema("statusSubscriber"),
    type: z.enum(SUBSCRIBER_TYPES),
    address: z
      .string()
      .describe("The mail address; of a webhook the URL, `***` in place of whatever follows its host."),
    fingerprint: z
      .string()
      .nullable()
      .describe(
        "Of a webhook's whole URL, 8 hexadecimal digits that tell apart two of one host and can't be turned back into the URL; another one once the service has another SVC_SECRET_KEY. null: a mail address, or a URL that no known key opens.",
      ),
    createdAt: timestampSchema,
    confirmedAt: timestampSchema
      .nullable()
      .describe("null: the link in the first mail was not used yet. It is dropped after a day then."),
  })
  .meta({ id: "StatusSubscriber" });
/** Somebody who has the notices of a status page sent. */
export type StatusSubscriber = z.infer<typeof statusSubscriberSchema>;

/** Schema of a webhook that was just created: the only answer with its secret. */
export const createdStatusWebhookSchema = statusSubscriberSchema
  .extend({
    secret: z
      .string()
      .describe(
        "Signs each request: `whsec_` and the key in base64, as Standard Webhooks have it. Shown once.",
      ),
  })
  .meta({ id: "CreatedStatusWebhook" });
/** A webhook with its secret. */
export type CreatedStatusWebhook = z.infer<typeof createdStatusWebhookSchema>;

/** Schema of the body that is posted to a webhook. */
export const statusWebhookBodySchema = z
  .object({
    schema_version: z.literal(1),
    eventType: z
      .enum(["notice.created", "notice.updated", "notice.began", "notice.ended"])
      .describe(
        "began and ended: the announced start and end of maintenance came, without an update that said so.",
      ),
    occurredAt: timestampSchema,
    page: z.object({ slug: z.string(), title: z.string(), url: z.string() }),
    notice: z.object({
      id: idSchema("statusNotice"),
      kind: z.enum(NOTICE_KINDS),
      title: z.string(),
      impact: z.enum(NOTICE_IMPACTS).nullable(),
      components: componentsOfNoticeSchema,
      startsAt: timestampSchema,
      endsAt: timestampSchema.nullable(),
    }),
    update: noticeUpdateSchema.nullable().describe("The update; null: of began and ended."),
  })
  .meta({ id: "StatusWebhookBody" });
/** Body that is posted to a webhook. */
export type StatusWebhookBody = z.infer<typeof statusWebhookBodySchema>;
