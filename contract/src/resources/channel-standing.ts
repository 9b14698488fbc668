/** How a notification channel stands: what notifies it, and how its newest deliveries went. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";

const count = z.number().int().min(0);

/** Newest deliveries of a channel that are looked at. */
export const STANDING_DELIVERIES_MAX = 100;

/** Schema of how a channel stands. */
export const channelStandingSchema = z
  .object({
    channelId: idSchema("channel"),
    ruleCount: count.describe("Alert rules, written by people, that name the channel."),
    policyCount: count.describe("Alert policies that name it."),
    sloCount: count.describe("SLOs that name it."),
    locationCount: count.describe("Private locations that name it."),
    lastDelivery: z
      .object({
        status: z.enum(["delivered", "failed"]),
        at: timestampSchema,
        httpStatus: z.number().nullable(),
        error: z.string().nullable(),
      })
      .nullable()
      .describe("The newest attempt, tests included; null: there was none."),
    failingSince: timestampSchema
      .nullable()
      .describe(
        `The first failure after the last success, of the newest ${STANDING_DELIVERIES_MAX} attempts; null: the newest did not fail.`,
      ),
  })
  .meta({ id: "ChannelStanding" });
/** How a channel stands. */
export type ChannelStanding = z.infer<typeof channelStandingSchema>;
