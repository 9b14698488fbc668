/** Fields that several parts of svc.config.yaml share. */
import * as z from "zod";
import { durationSeconds } from "../base/duration.ts";
import { uniqueItems } from "../base/fields.ts";
import { FREQUENCY_SECONDS_MAX, FREQUENCY_SECONDS_MIN } from "../base/slot-grid.ts";

/** Schema of a frequency in svc.config.yaml. */
export const configFrequencySchema = z
  .string()
  .superRefine((text, context) => {
    const seconds = durationSeconds(text);
    if (seconds === undefined)
      context.addIssue({ code: "custom", message: `expected a duration like 30s, 5m or 1h; got "${text}"` });
    else if (seconds < FREQUENCY_SECONDS_MIN || seconds > FREQUENCY_SECONDS_MAX)
      context.addIssue({
        code: "custom",
        message: `${text} is ${seconds} s; smallest is ${FREQUENCY_SECONDS_MIN} s, largest is ${FREQUENCY_SECONDS_MAX} s`,
      });
  })
  .meta({ examples: ["30s", "5m", "1h"], pattern: "^\\d+[smh]$|\\$\\{|\\{\\{" })
  .describe("How often: Ns, Nm or Nh; from 10 seconds to a day.");

/** Schema of the reference by which alerts and SLOs name a channel of `alertChannels`. */
const channelReferenceSchema = z
  .string()
  .regex(/^@./, 'expected "@" and the name of a channel of alertChannels')
  .describe('"@" and the name of a channel of alertChannels.');

/** Schema of references to channels, each of them once. */
export const channelReferencesSchema = z.array(channelReferenceSchema).superRefine(uniqueItems);
