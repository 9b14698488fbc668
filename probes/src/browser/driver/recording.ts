/** Records the requests and console lines of a context, bounded: the first ones are kept, the others numbered. */
import type { ConsoleLog, HostRequests, NetworkRequest } from "@svc/contract";
import type { BrowserContext, ConsoleMessage, Request } from "playwright";
import { HOSTS_MAX } from "../protocol/limits.ts";
import { RequestCounter } from "./request-counter.ts";

const REQUESTS_MAX = 300;
const LOGS_MAX = 200;
const URL_CHARACTERS_MAX = 1_000;
const LOG_CHARACTERS_MAX = 1_000;

interface Noted {
  entry: NetworkRequest;
  startedMs: number;
}

/** Collects the requests and console lines of the contexts that it watches, within the limits of a report. */
export class Recording {
  readonly #nowMs: () => number;
  readonly #requests = new Map<Request, Noted>();
  readonly #logs: ConsoleLog[] = [];
  readonly #counter = new RequestCounter();
  #requestsLeftOut = 0;
  #logsLeftOut = 0;
  #document: Request | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  watch(context: BrowserContext): void {
    context.on("request", (request) => this.#begin(request));
    context.on("requestfinished", (request) => this.#end(request));
    context.on("requestfailed", (request) => this.#fail(request));
    context.on("console", (message) => this.#logMessage(message));
    context.on("weberror", (error) => {
      const { message } = error.error();
      this.log({ type: "pageerror", text: message, url: error.page()?.url() });
    });
  }

  /** The newest request for a page's main document. */
  get document(): Request | undefined {
    return this.#document;
  }

  get requests(): NetworkRequest[] {
    return [...this.#requests.values()].map(({ entry }) => entry);
  }

  /** Returns the counted requests of a run that ends now, by host. */
  countByHost(): HostRequests[] {
    return this.#counter.conclude(this.#nowMs());
  }

  get logs(): ConsoleLog[] {
    return this.#logs;
  }

  /** The numbers of entries that were left out, in sentences. */
  get notes(): string[] {
    const notes: string[] = [];
    if (this.#requestsLeftOut > 0)
      notes.push(
        `${this.#requestsLeftOut} further requests are not listed (only the first ${REQUESTS_MAX} are)`,
      );
    if (this.#logsLeftOut > 0)
      notes.push(
        `${this.#logsLeftOut} further console lines are not listed (only the first ${LOGS_MAX} are)`,
      );
    if (this.#counter.leftOut > 0)
      notes.push(
        `${this.#counter.leftOut} requests to further hosts are not counted (only those to the first ${HOSTS_MAX} are)`,
      );
    return notes;
  }

  /** Takes over the entries of an earlier recording of the run. */
  adopt(before: Recording): void {
    this.#document ??= before.#document;
    for (const [request, noted] of before.#requests) this.#requests.set(request, noted);
    this.#logs.push(...before.#logs);
    this.#counter.adopt(before.#counter);
    this.#requestsLeftOut += before.#requestsLeftOut;
    this.#logsLeftOut += before.#logsLeftOut;
  }

  log(line: { type: string; text: string; url?: string | undefined; line?: number | undefined }): void {
    if (this.#logs.length >= LOGS_MAX) {
      this.#logsLeftOut++;
      return;
    }
    this.#logs.push({
      type: line.type.slice(0, 40),
      text: line.text.slice(0, LOG_CHARACTERS_MAX),
      at: new Date(this.#nowMs()).toISOString(),
      ...(line.url ? { url: line.url.slice(0, URL_CHARACTERS_MAX) } : {}),
      ...(line.line === undefined ? {} : { line: line.line }),
    });
  }

  #begin(request: Request): void {
    if (request.isNavigationRequest() && isMainFrame(request)) this.#document = request;
    this.#counter.begin(request, request.url(), this.#nowMs());
    if (this.#requests.size >= REQUESTS_MAX) {
      this.#requestsLeftOut++;
      return;
    }
    const startedMs = this.#nowMs();
    const entry: NetworkRequest = {
      url: request.url().slice(0, URL_CHARACTERS_MAX),
      method: request.method(),
      resourceType: request.resourceType(),
      httpStatusCode: null,
      startedAt: new Date(startedMs).toISOString(),
      durationMs: null,
      responseBytes: null,
    };
    this.#requests.set(request, { entry, startedMs });
  }

  #end(request: Request): void {
    this.#counter.end(request, { httpStatusCode: request.existingResponse()?.status() ?? null });
    const noted = this.#requests.get(request);
    if (!noted) return;
    const response = request.existingResponse();
    const { responseEnd } = request.timing();
    noted.entry.durationMs = round(responseEnd >= 0 ? responseEnd : this.#nowMs() - noted.startedMs);
    noted.entry.httpStatusCode = response?.status() ?? null;
    const length = Number(response?.headers()["content-length"] ?? Number.NaN);
    if (Number.isSafeInteger(length) && length >= 0) noted.entry.responseBytes = length;
  }

  #fail(request: Request): void {
    const status = request.existingResponse()?.status() ?? null;
    const errorText = request.failure()?.errorText ?? "failed";
    this.#counter.end(request, { httpStatusCode: status, errorText });
    const noted = this.#requests.get(request);
    if (!noted) return;
    noted.entry.durationMs = round(this.#nowMs() - noted.startedMs);
    noted.entry.httpStatusCode = status;
    // The browser drops the body of a script or a style sheet that comes with such a status; the answer is the news.
    if (status !== null && status >= 400) return;
    noted.entry.errorText = errorText.slice(0, 200);
  }

  #logMessage(message: ConsoleMessage): void {
    const { url, lineNumber } = message.location();
    this.log({ type: message.type(), text: message.text(), url, line: url ? lineNumber : undefined });
  }
}

function isMainFrame(request: Request): boolean {
  try {
    return request.frame().parentFrame() === null;
  } catch {
    return false; // a service worker's request has no frame
  }
}

/** Rounds a duration in ms to three decimals; a negative one becomes 0. */
export function round(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
