/**
 * What an agent and a browser driver say to each other. A driver is a process that holds one browser and carries out runs
 * in it; orders come as lines of JSON on its stdin, news goes out as frames on its file descriptor 3 (a line of JSON, then as
 * many raw bytes as it says). A driver may run a stranger's script: nothing it says is believed beyond what the schemas
 * and limits here let through.
 */
import {
  agentViewSchema,
  consoleLogSchema,
  networkRequestSchema,
  RESULT_STATUSES,
  resultStepSchema,
  webVitalsSchema,
} from "@svc/contract";
import * as z from "zod";

/** The first order: what to launch. */
export interface LaunchCommand {
  type: "launch";
  executablePath: string;
  /** Whether Chromium's own sandbox is on. */
  usesChromiumSandbox: boolean;
  /** Unix sockets of the agent's proxy, one per run at a time. */
  egressSockets: readonly string[];
  /** Load what scripts need before the first one comes. */
  isForScripts: boolean;
  /** Playwright's endpoint of a browser that runs elsewhere; absent: the driver launches one itself. */
  browserEndpoint?: string;
}

/** What both kinds of run have in common. */
export interface PageSettings {
  viewport: { width: number; height: number };
  /** Width and height are the check's own and not only the default. */
  isViewportSet: boolean;
  device: string | null;
  userAgent: string | null;
  screenshotMode: "every_step" | "failure_only" | "disabled";
  videoEnabled: boolean;
  agentView: boolean;
  timeoutMs: number;
}

export type RunJob =
  | { kind: "url"; url: string; settings: PageSettings }
  | {
      kind: "script";
      /** JavaScript of a CommonJS module whose default export is the script as an async function. */
      code: string;
      steps: readonly { name: string; timeoutMs?: number | undefined; isAsserted: boolean }[];
      settings: PageSettings;
    };

/** The command to carry out a run. */
export interface RunCommand {
  type: "run";
  runId: number;
  lane: number;
  /** What this machine's clock lacks to the control plane's, ms. */
  clockOffsetMs: number;
  job: RunJob;
}

export type Command = LaunchCommand | RunCommand;

/** What is said of one main document, for the assertions of a step. */
export const stepDocumentSchema = z.object({
  url: z.string().max(8192),
  method: z.string().max(32),
  httpStatusCode: z.number().int(),
  headers: z.array(z.string()).max(400),
  /** End of the certificate of the site that served it; null: not over https. Chromium has checked it. */
  certificate: z.object({ validTo: z.iso.datetime() }).nullable(),
});
export type StepDocument = z.infer<typeof stepDocumentSchema>;

/** How a run ended, as the driver sees it. */
export const runReportSchema = z.object({
  status: z.enum(RESULT_STATUSES),
  /**
   * Why it is no success: navigation: the browser could not load the page; assertion, script, timeout: of the script;
   * http: the page's status code; crash: the page's process ended; stalled: the driver itself stood still.
   */
  cause: z.enum(["navigation", "assertion", "script", "timeout", "http", "crash", "stalled"]).nullable(),
  errorMessage: z.string().max(8192).nullable(),
  httpStatusCode: z.number().int().min(100).max(999).nullable(),
  startedAtMs: z.number(),
  /** The whole run. */
  elapsedMs: z.number().min(0),
  /** What counts as its response time: the page's load, or the script. */
  responseTimeMs: z.number().min(0),
  tlsHandshakeMs: z.number().min(0).nullable(),
  ttfbMs: z.number().min(0).nullable(),
  contentTransferMs: z.number().min(0).nullable(),
  webVitals: webVitalsSchema.nullable(),
  networkRequests: z.array(networkRequestSchema).max(300),
  consoleLogs: z.array(consoleLogSchema).max(200),
  agentView: agentViewSchema.nullable(),
  notes: z.array(z.string().max(1000)).max(20),
  /** False: the context would not close, so that the browser should be replaced. */
  isClean: z.boolean(),
});
export type RunReport = z.infer<typeof runReportSchema>;

/** News from a driver; `bytes` raw bytes follow the line of those that have it. */
export const newsSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), browserVersion: z.string().max(200) }),
  z.object({ type: z.literal("failed"), message: z.string().max(4096) }),
  z.object({ type: z.literal("started"), runId: z.number() }),
  z.object({
    type: z.literal("step"),
    runId: z.number(),
    /** Its place among the steps by their beginning: those that enclose others end after them. */
    order: z.number().int().min(0).default(0),
    step: resultStepSchema,
    document: stepDocumentSchema.nullable(),
    bytes: z.number().int().min(0).default(0),
  }),
  z.object({
    type: z.literal("artifact"),
    runId: z.number(),
    kind: z.enum(["screenshot", "video"]),
    step: z.string().max(255).nullable(),
    takenAt: z.iso.datetime(),
    bytes: z.number().int().min(0),
  }),
  z.object({ type: z.literal("done"), runId: z.number(), report: runReportSchema }),
]);
export type News = z.infer<typeof newsSchema>;
