/** What a browser run has to show: its steps, its requests, what the page logged, and pictures that lie elsewhere. */
import * as z from "zod";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";

const millisecondsSchema = z.number().min(0);

/** What a browser run measured of the page; ms, and the layout shift's score. One that did not happen is absent. */
export const webVitalsSchema = z.object({
  lcpMs: z.number().optional(),
  fcpMs: z.number().optional(),
  cls: z.number().optional(),
  ttfbMs: z.number().optional(),
});
export type WebVitals = z.infer<typeof webVitalsSchema>;

/** One step of a browser run, in the order they began. A run in url mode has one. */
export const resultStepSchema = z.object({
  name: z.string(),
  status: z.enum(RESULT_STATUSES),
  durationMs: millisecondsSchema,
  startedAt: timestampSchema,
  errorMessage: z.string().optional(),
});
export type ResultStep = z.infer<typeof resultStepSchema>;

/** A request that the page made. */
export const networkRequestSchema = z.object({
  url: z.string(),
  method: z.string(),
  resourceType: z.string().describe("What asked for it: document, script, stylesheet, image, fetch, ..."),
  httpStatusCode: z.number().nullable().describe("null: there was no response."),
  startedAt: timestampSchema,
  durationMs: millisecondsSchema.nullable().describe("null: it had not ended when the run did."),
  responseBytes: millisecondsSchema.nullable().describe("Body as it travelled; null where it is not known."),
  errorText: z.string().optional().describe("Why it failed, as the browser says it."),
});
export type NetworkRequest = z.infer<typeof networkRequestSchema>;

/** A line of the page's console, an uncaught error in the page, or a line that the script logged. */
export const consoleLogSchema = z.object({
  type: z.string().describe("log, info, warning, error, ...; pageerror; script"),
  text: z.string(),
  at: timestampSchema,
  url: z.string().optional(),
  line: z.number().optional(),
});
export type ConsoleLog = z.infer<typeof consoleLogSchema>;

/** A file that a run left, kept by the hash of its content. */
export const artifactSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "expected 64 lower-case hexadecimal digits"),
  contentType: z.enum(["image/jpeg", "image/png", "video/webm"]),
  bytes: z.number(),
  takenAt: timestampSchema,
  url: z.string().optional().describe("Where to fetch it, on answers; absent when it is not stored (yet)."),
  urlExpiresAt: timestampSchema.optional(),
});
export type Artifact = z.infer<typeof artifactSchema>;

/** A picture of the page. */
export const screenshotSchema = artifactSchema.extend({
  step: z.string().nullable().describe("The step at whose end it was taken."),
});
export type Screenshot = z.infer<typeof screenshotSchema>;

/** The final page as a client meets it that is no human. */
export const agentViewSchema = z.object({
  noJs: z
    .object({ rawTextChars: z.number(), renderedTextChars: z.number(), ratio: z.number() })
    .optional()
    .describe(
      "Text in the HTML as served and after scripts ran; absent when the HTML could not be read back.",
    ),
  controls: z.object({ total: z.number(), unnamed: z.number(), examples: z.array(z.string()) }),
});
export type AgentView = z.infer<typeof agentViewSchema>;

/** Details that a run of a browser check adds to a result. */
export const browserDetailFields = {
  steps: z.array(resultStepSchema),
  webVitals: webVitalsSchema,
  networkRequestsJson: z.array(networkRequestSchema),
  screenshotsJson: z.array(screenshotSchema),
  videoJson: artifactSchema,
  consoleLogsJson: z.array(consoleLogSchema),
  agentViewJson: agentViewSchema,
};
