/** Routes by which jobs report to their pushed checks. Their token is the credential. */
import * as z from "zod";
import { defineRoute } from "./route.ts";

/** Limits of reports to one URL: reports at once, and in a minute. */
export const PUSH_LIMITS = { burst: 10, perMinute: 30 } as const;

const description = `No API key: whoever knows the URL can report. A body is ignored, of any type and length. Beyond ${PUSH_LIMITS.burst} reports at once and ${PUSH_LIMITS.perMinute} in a minute to one URL, and beyond the limit of all requests of an address, 429 with Retry-After.`;

const common = {
  access: "public",
  tag: "Reports",
  description,
  answer: z.object({ ok: z.literal(true) }),
} as const;
const token = z.string().max(128).describe("The last part of the check's `pushUrl`.");
const params = z.object({ token });
const signal = z
  .string()
  .regex(/^(?:start|\d{1,3})$/, 'expected "start" or an exit code from 0 to 255')
  .refine((text) => !/^\d{1,3}$/.test(text) || Number(text) <= 255, "largest is 255")
  .describe("`start`: a run begins. A number: it ended with this exit code, 0 is a success.");
const signalParams = z.object({ token, signal });
const reported = "Report that a job has run well";
const signalled = "Report that a job begins to run, or has ended with an exit code";

/** Routes of reports, by operation. The only GET routes that store something: cron jobs call them with what is at hand. */
export const pushRoutes = {
  report: defineRoute({ ...common, method: "POST", path: "/hb/:token", summary: reported, params }),
  reportByGet: defineRoute({ ...common, method: "GET", path: "/hb/:token", summary: reported, params }),
  signal: defineRoute({
    ...common,
    method: "POST",
    path: "/hb/:token/:signal",
    summary: signalled,
    params: signalParams,
  }),
  signalByGet: defineRoute({
    ...common,
    method: "GET",
    path: "/hb/:token/:signal",
    summary: signalled,
    params: signalParams,
  }),
};
