/** Details that only a run of a browser check has: steps, requests, console lines, and references to stored pictures. */
import * as z from "zod";
import { timestampSchema } from "../base/timestamp.ts";
import { resultStepSchema } from "./result-step.ts";

const millisecondsSchema = z.number().min(0);

/** Schema of the page's web vitals: times in ms, and the score of the layout shift. One that was not measured is absent. */
export const webVitalsSchema = z.object({
  lcpMs: z.number().optional(),
  fcpMs: z.number().optional(),
  cls: z.number().optional(),
  ttfbMs: z.number().optional(),
});
/** Core Web Vitals of a page: milliseconds, except `cls`, which has no unit. */
export type WebVitals = z.infer<typeof webVitalsSchema>;

/** Schema of a request that the page made. */
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
/** One request that the page made. */
export type NetworkRequest = z.infer<typeof networkRequestSchema>;

/** Schema of a line of the page's console, an uncaught error in the page, or a line that the script logged. */
export const consoleLogSchema = z.object({
  type: z.string().describe("log, info, warning, error, ...; pageerror; script"),
  text: z.string(),
  at: timestampSchema,
  url: z.string().optional(),
  line: z.number().optional(),
});
/** One line of the browser's console. */
export type ConsoleLog = z.infer<typeof consoleLogSchema>;

/** Schema of a file that a run left, stored by the hash of its content. */
const artifactSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "expected 64 lower-case hexadecimal digits"),
  contentType: z.enum(["image/jpeg", "image/png", "video/webm"]),
  bytes: z.number(),
  takenAt: timestampSchema,
  url: z.string().optional().describe("Where to fetch it, on answers; absent when it is not stored (yet)."),
  urlExpiresAt: timestampSchema.optional(),
});
/** Reference to a stored picture or video of a run. */
export type Artifact = z.infer<typeof artifactSchema>;

/** Schema of a picture of the page. */
const screenshotSchema = artifactSchema.extend({
  step: z.string().nullable().describe("The step at whose end it was taken."),
});
/** Reference to a stored picture of the page. */
export type Screenshot = z.infer<typeof screenshotSchema>;

/** Schema of the agent view: the final page as a client meets it that is not a human. */
export const agentViewSchema = z.object({
  noJs: z
    .object({ rawTextChars: z.number(), renderedTextChars: z.number(), ratio: z.number() })
    .optional()
    .describe(
      "Text in the HTML as served and after scripts ran; absent when the HTML could not be read back.",
    ),
  controls: z.object({ total: z.number(), unnamed: z.number(), examples: z.array(z.string()) }),
});
/** The page as an AI agent sees it: its text without scripts, and the controls that have no accessible name. */
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
  scriptLine: z.int().positive().describe("Line of the script that threw, from 1; null: none is known."),
  pageOutline: z
    .string()
    .describe(
      "Roles and names on the page that a generated script ended on when it was tried; of no other run.",
    ),
};
