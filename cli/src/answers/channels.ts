/** Answers of `svc channels`. */
import { channelSchema, deliverySchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField, pageFields } from "./fields.ts";
import { fragmentDetails } from "./problems.ts";

/** Answers of `svc channels list`. */
export const channelsList: Answers = { data: z.object({ channels: z.array(channelSchema) }) };

/** Answers of `svc channels get`. */
export const channelsGet: Answers = { data: z.object({ channel: channelSchema }) };

/** Answers of `svc channels create`. */
export const channelsCreate: Answers = {
  data: z.object({ channel: channelSchema }),
  details: fragmentDetails,
};

/** Answers of `svc channels edit`. */
export const channelsEdit: Answers = {
  data: z.object({ channel: channelSchema, ...changedField }),
  details: fragmentDetails,
};

/** Answers of `svc channels deliveries`. */
export const channelsDeliveries: Answers = {
  data: z.object({ deliveries: z.array(deliverySchema), ...pageFields }),
};

/** Answers of `svc channels test` and `redeliver`. */
export const channelsDelivery: Answers = {
  data: z.object({ delivered: z.boolean(), delivery: deliverySchema }),
};
