/** Routes of status pages: those of the team that has them, and those that anybody may read. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import { linkTokenSchema } from "../resources/session.ts";
import {
  addNoticeUpdateSchema,
  createStatusNoticeSchema,
  statusNoticeSchema,
  updateStatusNoticeSchema,
} from "../resources/status-notice.ts";
import {
  createStatusPageSchema,
  statusPageSchema,
  updateStatusPageSchema,
} from "../resources/status-page.ts";
import { statusPageViewSchema } from "../resources/status-page-view.ts";
import {
  createdStatusWebhookSchema,
  createStatusWebhookSchema,
  statusSubscriberSchema,
  subscribeSchema,
} from "../resources/status-subscriber.ts";
import { defineRoute } from "./route.ts";

const tag = "Status pages";
const params = z.object({ id: idSchema("statusPage") });
const noticeParams = z.object({ id: idSchema("statusPage"), noticeId: idSchema("statusNotice") });
const subscriberParams = z.object({ id: idSchema("statusPage"), subscriberId: idSchema("statusSubscriber") });
const slugParams = z.object({ slug: z.string() });
const onePage = z.object({ statusPage: statusPageSchema });
const oneNotice = z.object({ notice: statusNoticeSchema });
const cached =
  "No sign-in. The answer may be some seconds old; `ETag` and `Cache-Control` let caches share it.";

const unchanged = { 304: z.null().describe("The answer is the one whose ETag If-None-Match names.") };

/** Routes of status pages, by operation. */
export const statusPageRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/status-pages",
    access: "reads",
    tag,
    summary: "List the team's status pages, newest first",
    query: cursorPageQuerySchema,
    answer: z.object({ statusPages: z.array(statusPageSchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/status-pages",
    access: "changes",
    tag,
    summary: "Create a status page, which is public once it is published",
    body: createStatusPageSchema,
    status: 201,
    answer: onePage,
    otherAnswers: { 409: errorSchema },
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/status-pages/:id",
    access: "reads",
    tag,
    summary: "Get a status page",
    params,
    answer: onePage,
    versioned: "statusPage",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/status-pages/:id/as-code",
    access: "reads",
    tag,
    summary: "Get a status page as the files of a config, with the monitors that it names",
    description: "Credentials are written as `{{secrets.NAME}}`. Notices and subscribers are no part of it.",
    params,
    answer: recordAsCodeSchema,
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/status-pages/:id",
    access: "changes",
    tag,
    summary: "Change a status page",
    params,
    body: updateStatusPageSchema,
    answer: onePage,
    otherAnswers: { 409: errorSchema },
    versioned: "statusPage",
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/status-pages/:id",
    access: "changes",
    tag,
    summary: "Delete a status page with its notices and subscribers",
    params,
    answer: successSchema,
    acceptsIfMatch: true,
  }),
  preview: defineRoute({
    method: "GET",
    path: "/api/status-pages/:id/view",
    access: "reads",
    tag,
    summary: "Get what the page tells, or would tell once it is published",
    params,
    answer: z.object({ view: statusPageViewSchema }),
  }),
  listNotices: defineRoute({
    method: "GET",
    path: "/api/status-pages/:id/notices",
    access: "reads",
    tag,
    summary: "List the notices of a status page, newest first",
    params,
    query: cursorPageQuerySchema,
    answer: z.object({ notices: z.array(statusNoticeSchema), ...nextCursorField }),
  }),
  createNotice: defineRoute({
    method: "POST",
    path: "/api/status-pages/:id/notices",
    access: "changes",
    tag,
    summary: "Tell of an incident or of maintenance",
    description: "Its texts and instants are public as soon as the page is.",
    params,
    body: createStatusNoticeSchema,
    status: 201,
    answer: oneNotice,
  }),
  getNotice: defineRoute({
    method: "GET",
    path: "/api/status-pages/:id/notices/:noticeId",
    access: "reads",
    tag,
    summary: "Get a notice",
    params: noticeParams,
    answer: oneNotice,
    versioned: "notice",
  }),
  updateNotice: defineRoute({
    method: "PUT",
    path: "/api/status-pages/:id/notices/:noticeId",
    access: "changes",
    tag,
    summary: "Change a notice; what its updates said stays",
    params: noticeParams,
    body: updateStatusNoticeSchema,
    answer: oneNotice,
    versioned: "notice",
    acceptsIfMatch: true,
  }),
  addUpdate: defineRoute({
    method: "POST",
    path: "/api/status-pages/:id/notices/:noticeId/updates",
    access: "changes",
    tag,
    summary: "Add an update to a notice; the statuses resolved and completed end it",
    params: noticeParams,
    body: addNoticeUpdateSchema,
    status: 201,
    answer: oneNotice,
    otherAnswers: { 409: errorSchema },
  }),
  deleteNotice: defineRoute({
    method: "DELETE",
    path: "/api/status-pages/:id/notices/:noticeId",
    access: "changes",
    tag,
    summary: "Delete a notice with its updates",
    params: noticeParams,
    answer: successSchema,
    acceptsIfMatch: true,
  }),
  listSubscribers: defineRoute({
    method: "GET",
    path: "/api/status-pages/:id/subscribers",
    access: "members_read",
    tag,
    summary: "List who subscribes to a status page, newest first",
    params,
    query: cursorPageQuerySchema,
    answer: z.object({ subscribers: z.array(statusSubscriberSchema), ...nextCursorField }),
  }),
  createSubscriber: defineRoute({
    method: "POST",
    path: "/api/status-pages/:id/subscribers",
    access: "changes",
    tag,
    summary: "Have the notices of a status page posted to an endpoint of the team's own",
    description:
      "The answer alone has the secret that signs the requests. A page has a URL once. People subscribe by the page itself.",
    params,
    body: createStatusWebhookSchema,
    status: 201,
    answer: z.object({ subscriber: createdStatusWebhookSchema }),
    otherAnswers: { 409: errorSchema },
  }),
  deleteSubscriber: defineRoute({
    method: "DELETE",
    path: "/api/status-pages/:id/subscribers/:subscriberId",
    access: "changes",
    tag,
    summary: "Remove a subscriber of a status page",
    params: subscriberParams,
    answer: successSchema,
  }),
  subscribe: defineRoute({
    method: "POST",
    path: "/status/:slug/subscribe",
    access: "public",
    tag,
    summary: "Ask to have the notices of a published status page mailed",
    description:
      "The form of the page sends this. A mail with a link goes to the address; nothing else is mailed before the link's " +
      "button was used. The answer does not tell whether the address subscribes already.",
    params: slugParams,
    body: subscribeSchema,
    fileTypes: ["text/html"],
    pageStatuses: [400, 404, 409, 429],
  }),
  confirmSubscription: defineRoute({
    method: "POST",
    path: "/status-subscriptions/confirm",
    access: "public",
    tag,
    pageStatuses: [400, 410, 429],
    summary: "Confirm a subscription by the link in its first mail",
    description:
      "The link itself, `GET /status-subscriptions/confirm?token=`, shows a page with a button that does this, and changes nothing.",
    query: linkTokenSchema,
    fileTypes: ["text/html"],
  }),
  unsubscribe: defineRoute({
    method: "POST",
    path: "/status-subscriptions/unsubscribe",
    access: "public",
    tag,
    pageStatuses: [400, 429],
    summary: "End a subscription by the link in any of its mails",
    description:
      "The link itself, `GET /status-subscriptions/unsubscribe?token=`, shows a page with a button that does this, and changes " +
      "nothing. Mail programs do it by one click (RFC 8058).",
    query: linkTokenSchema,
    fileTypes: ["text/html"],
  }),
  page: defineRoute({
    method: "GET",
    path: "/status/:slug",
    access: "public",
    tag,
    summary: "Read a published status page in a browser",
    description: cached,
    params: slugParams,
    fileTypes: ["text/html"],
    otherAnswers: unchanged,
  }),
  view: defineRoute({
    method: "GET",
    path: "/status/:slug.json",
    access: "public",
    tag,
    summary: "Read a published status page as JSON",
    description: `${cached} Pages of any site may read it.`,
    params: slugParams,
    answer: statusPageViewSchema,
    otherAnswers: unchanged,
  }),
  badge: defineRoute({
    method: "GET",
    path: "/status/:slug/badge.svg",
    access: "public",
    tag,
    summary: "Get the state of a published status page as a picture for other pages",
    description: cached,
    params: slugParams,
    fileTypes: ["image/svg+xml"],
    otherAnswers: unchanged,
  }),
  feed: defineRoute({
    method: "GET",
    path: "/status/:slug/feed.atom",
    access: "public",
    tag,
    summary: "Follow the notices of a published status page in a feed reader",
    description: `${cached} One entry for each update.`,
    params: slugParams,
    fileTypes: ["application/atom+xml"],
    otherAnswers: unchanged,
  }),
};
