import * as z from "zod";
import { assertionsAbout } from "../assertions/registry.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { connectionTimeoutSchema, hostOfUrl, hostSchema } from "./host-fields.ts";
import { PING_INTERVAL_MS } from "./ping-interval.ts";

/** Shortest wait for the last packet's answer, ms. */
const LAST_WAIT_MS_MIN = 100;

const configFields = closedObject({
  host: hostSchema,
  timeoutMs: connectionTimeoutSchema,
  count: z
    .int()
    .min(1, "smallest is 1")
    .max(20, "largest is 20")
    .default(4)
    .describe("Packets that are sent, 200 ms apart."),
  maxLossPercent: z
    .number()
    .min(0, "smallest is 0")
    .max(99, "largest is 99")
    .optional()
    .describe("Largest share of packets that may be lost. Absent: one answer is enough."),
  maxRoundTripMs: z
    .number()
    .positive("must be more than 0")
    .max(60_000, "largest is 60000")
    .optional()
    .describe("Longest round trip that any packet may take, ms. Absent: no limit."),
  assertions: assertionsAbout("ping", ["time"]),
});

/** Configuration of a check of type ping. */
const pingConfigSchema = configFields
  .superRefine(timeForAllPackets)
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);

/** Adds an issue when the packets can't all be sent, and the last one answered, within the time limit. */
function timeForAllPackets(
  { timeoutMs, count }: z.infer<typeof configFields>,
  context: z.RefinementCtx,
): void {
  const neededMs = (count - 1) * PING_INTERVAL_MS + LAST_WAIT_MS_MIN;
  if (timeoutMs >= neededMs) return;
  context.addIssue({
    code: "too_small",
    origin: "number",
    minimum: neededMs,
    input: timeoutMs,
    path: ["timeoutMs"],
    message: `${count} packets, ${PING_INTERVAL_MS} ms apart, need at least ${neededMs} ms`,
  });
}

/** Echo requests to a host. */
export const pingCheck = defineCheckType({
  type: "ping",
  title: "Ping",
  summary: "echo requests (ICMP) to a host, their loss and their round trips",
  configKey: "pingConfig",
  configSchema: pingConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  inheritedFields: ["timeoutMs", "assertions"],
  targetField: "host",
  secretFields: {},
  starter: {
    question: "URL of the host to watch: ",
    fields: (url) => ({ host: hostOfUrl(url).host }),
  },
  canRunLocally: true,
  runCost: { seconds: 1 },
  whyNoCertificate: () => "the check does not speak TLS",
  detailFields: {
    pingJson: z.object({
      address: z.string().describe("Address that the packets were sent to."),
      transmitted: z.number().describe("Packets that were sent."),
      received: z.number().describe("Packets that were answered."),
      lossPercent: z.number().describe("Share of the packets that were not answered, with one decimal."),
      roundTripMs: z
        .object({ min: z.number(), avg: z.number(), max: z.number() })
        .optional()
        .describe("Shortest, average and longest round trip; absent when nothing was answered."),
    }),
  },
});
