/**
 * The messages between an agent and a browser driver, the process that holds one browser and carries out runs in it.
 * Commands come as lines of JSON on the driver's stdin; messages go out as frames on its file descriptor 3, each a line
 * of JSON followed by as many raw bytes as it says. A driver may run a stranger's script, so nothing it says is
 * believed beyond what the schemas and limits here let through.
 */
import {
  agentViewSchema,
  consoleLogSchema,
  hostRequestsSchema,
  networkRequestSchema,
  RESULT_STATUSES,
  resultStepSchema,
  webVitalsSchema,
} from "@svc/contract";
import * as z from "zod";
import { HOSTS_MAX, PAGE_OUTLINE_CHARACTERS_MAX } from "./limits.ts";

/** The first command: launches the browser. */
export interface LaunchCommand {
  type: "launch";
  executablePath: string;
  /** True when Chromium's own sandbox is on. */
  usesChromiumSandbox: boolean;
  /** Unix sockets of the agent's proxy, one per lane. */
  egressSockets: readonly string[];
  /** Load the libraries that scripts need before the first script comes. */
  isForScripts: boolean;
  /** Playwright's endpoint of a browser that runs elsewhere; absent: the driver launches one itself. */
  browserEndpoint?: string;
}

/** The settings of both kinds of run. */
export interface PageSettings {
  viewport: { width: number; height: number };
  /** Width and height are the check's own, not the default. */
  isViewportSet: boolean;
  device: string | null;
  userAgent: string | null;
  screenshotMode: "every_step" | "failure_only" | "disabled";
  videoEnabled: boolean;
  agentView: boolean;
  timeoutMs: number;
  /** True: the agent's proxy reads the run's requests. The outline of the last page is measured. */
  isLimited: boolean;
  /** True: the agent's proxy judges the certificates of the targets, and stands for them with one of its own. */
  proxyStandsIn: boolean;
}

/** The work of one run: a page to load, or a script with its steps. */
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
  /** Control plane's clock minus this machine's, ms. */
  clockOffsetMs: number;
  /** W3C trace context for requests to the main document's origin. */
  traceparent: string;
  job: RunJob;
}

/** A command to a driver: the first one launches the browser, each further one starts a run. */
export type Command = LaunchCommand | RunCommand;

/** A main document, for the assertions of a step. */
const stepDocumentSchema = z.object({
  url: z.string().max(8192),
  method: z.string().max(32),
  httpStatusCode: z.number().int(),
  headers: z.array(z.string()).max(400),
  /** End of the serving site's certificate, which Chromium has checked; null: not over https. */
  certificate: z.object({ validTo: z.iso.datetime() }).nullable(),
});
/** The main document that a step ended on. */
export type StepDocument = z.infer<typeof stepDocumentSchema>;

/** The driver's account of a run that ended. */
const runReportSchema = z.object({
  status: z.enum(RESULT_STATUSES),
  /**
   * Why the run is not a success. navigation: the browser could not load the page; assertion, script, timeout: of the
   * script; http: the page's status code; crash: the page's process ended; stalled: the driver itself stood still.
   */
  cause: z.enum(["navigation", "assertion", "script", "timeout", "http", "crash", "stalled"]).nullable(),
  errorMessage: z.string().max(8192).nullable(),
  /** Line of the script that threw, from 1; null: none is known. */
  scriptLine: z.number().int().min(1).max(1_000_000).nullable(),
  httpStatusCode: z.number().int().min(100).max(999).nullable(),
  /** The main document that the run ended on, or failed to load; null: none was asked for. */
  documentUrl: z.string().max(8192).nullable(),
  startedAtMs: z.number(),
  /** Duration of the whole run. */
  elapsedMs: z.number().min(0),
  /** The response time: of the page's load, or of the script. */
  responseTimeMs: z.number().min(0),
  tlsHandshakeMs: z.number().min(0).nullable(),
  ttfbMs: z.number().min(0).nullable(),
  contentTransferMs: z.number().min(0).nullable(),
  webVitals: webVitalsSchema.nullable(),
  networkRequests: z.array(networkRequestSchema).max(300),
  requestsByHost: z.array(hostRequestsSchema).max(HOSTS_MAX),
  consoleLogs: z.array(consoleLogSchema).max(200),
  agentView: agentViewSchema.nullable(),
  /** Roles and names on the page that a run with limits ended on; null: of no other run. */
  pageOutline: z.string().max(PAGE_OUTLINE_CHARACTERS_MAX).nullable(),
  notes: z.array(z.string().max(1000)).max(20),
  /** False when the context would not close, so that the browser should be replaced. */
  isClean: z.boolean(),
});
/** The driver's account of one run. */
export type RunReport = z.infer<typeof runReportSchema>;

/** Message from a driver. One with `bytes` is followed by that many raw bytes. */
export const driverMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), browserVersion: z.string().max(200) }),
  z.object({ type: z.literal("failed"), message: z.string().max(4096) }),
  z.object({ type: z.literal("started"), runId: z.number() }),
  /** The script of a run begins, and its time limit with it. Sent before any of the script has run. */
  z.object({ type: z.literal("script_started"), runId: z.number() }),
  /**
   * The script has ended, or its limit has passed, and all of its steps were reported. The report is what is known so far: it
   * stands when the run has no time left for its last picture, measurements and video.
   */
  z.object({ type: z.literal("script_ended"), runId: z.number(), report: runReportSchema }),
  z.object({
    type: z.literal("step"),
    runId: z.number(),
    /** Position among the steps by their beginning. A step that encloses others ends after them. */
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
/** Any message from a driver. */
export type DriverMessage = z.infer<typeof driverMessageSchema>;
