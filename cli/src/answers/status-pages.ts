/** Answers of `svc status-pages`. */
import {
  createdStatusWebhookSchema,
  statusNoticeSchema,
  statusPageSchema,
  statusPageViewSchema,
  statusSubscriberSchema,
} from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField } from "./fields.ts";
import { fragmentDetails } from "./problems.ts";

/** Answers of `svc status-pages list`. */
export const statusPagesList: Answers = { data: z.object({ statusPages: z.array(statusPageSchema) }) };

/** Answers of `svc status-pages get`. */
export const statusPagesGet: Answers = {
  data: z.object({
    statusPage: statusPageSchema,
    view: statusPageViewSchema.describe("What the page tells, or would tell once it is published."),
  }),
};

/** Answers of `svc status-pages create`. */
export const statusPagesCreate: Answers = {
  data: z.object({ statusPage: statusPageSchema }),
  details: fragmentDetails,
};

/** Answers of `svc status-pages edit`. */
export const statusPagesEdit: Answers = {
  data: z.object({ statusPage: statusPageSchema, ...changedField }),
  details: fragmentDetails,
};

/** Answers of `svc status-pages notices list`. */
export const noticesList: Answers = { data: z.object({ notices: z.array(statusNoticeSchema) }) };

/** Answers of `svc status-pages notices create` and `update`. */
export const noticesOne: Answers = { data: z.object({ notice: statusNoticeSchema }) };

/** Answers of `svc status-pages notices edit`. */
export const noticesEdit: Answers = { data: z.object({ notice: statusNoticeSchema, ...changedField }) };

/** Answers of `svc status-pages subscribers list`. */
export const subscribersList: Answers = {
  data: z.object({ subscribers: z.array(statusSubscriberSchema) }),
};

/** Answers of `svc status-pages subscribers add`. */
export const subscribersAdd: Answers = { data: z.object({ subscriber: createdStatusWebhookSchema }) };
