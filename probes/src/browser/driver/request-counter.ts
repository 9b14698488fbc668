/**
 * Counts the requests of a run by their hosts, all of them: the list of requests keeps only the first ones. A request
 * is good when it was answered without an error and not with a 5xx. Requests that the page or the browser cancelled,
 * that failed for the runner's own network, or that had only just begun as the run ended do not count.
 */
import type { HostRequests } from "@svc/contract";
import { HOSTS_MAX } from "../protocol/limits.ts";

/** Time without an answer after which a request that is open as its run ends was left hanging. */
const HUNG_MS = 3_000;
/** Open requests that are followed at once; the answers to further ones are not counted. */
const OPEN_MAX = 10_000;
const HOST_CHARACTERS_MAX = 253;
/** Errors that say nothing about the host: cancelled, blocked in the browser, or the runner's own trouble. */
const NOT_BY_HOST =
  /ERR_(?:ABORTED|BLOCKED_BY|NETWORK_CHANGED|INTERNET_DISCONNECTED|INSUFFICIENT_RESOURCES|OUT_OF_MEMORY|CACHE)/;

interface OpenRequest {
  host: string;
  startedMs: number;
}

/** Outcome of a request. */
export interface RequestEnd {
  /** null: there was no response. */
  httpStatusCode: number | null;
  /** The browser's words; absent: it did not fail. */
  errorText?: string | undefined;
}

/** Counts the requests of one run. */
export class RequestCounter {
  readonly #hosts = new Map<string, { total: number; good: number }>();
  /** By the browser's object for the request. */
  readonly #open = new Map<object, OpenRequest>();
  #leftOut = 0;

  /** Number of requests to further hosts than are counted. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Takes over the counts of an earlier part of the run. */
  adopt(before: RequestCounter): void {
    for (const [request, open] of before.#open) this.#open.set(request, open);
    for (const [host, { total, good }] of before.#hosts) this.#add(host, total, good);
    this.#leftOut += before.#leftOut;
  }

  /** Notes that a request began. Those that no host answers, such as `data:` URLs, are ignored. */
  begin(request: object, url: string, nowMs: number): void {
    if (this.#open.size >= OPEN_MAX || !/^(?:https?|wss?):/i.test(url) || !URL.canParse(url)) return;
    const host = new URL(url).hostname;
    if (host !== "" && host.length <= HOST_CHARACTERS_MAX)
      this.#open.set(request, { host, startedMs: nowMs });
  }

  /** Counts a request that ended. Further ends of one request are ignored. */
  end(request: object, { httpStatusCode, errorText }: RequestEnd): void {
    const open = this.#open.get(request);
    if (!open) return;
    this.#open.delete(request);
    // The browser drops the body of a script that comes with such a status; the answer is what counts.
    const isAnswered = httpStatusCode !== null && (errorText === undefined || httpStatusCode >= 400);
    if (isAnswered) this.#add(open.host, 1, httpStatusCode < 500 ? 1 : 0);
    else if (!NOT_BY_HOST.test(errorText ?? "")) this.#add(open.host, 1, 0);
  }

  /** Returns the counts of a run that ends now. Requests that hang count as not good. */
  conclude(nowMs: number): HostRequests[] {
    for (const { host, startedMs } of this.#open.values())
      if (nowMs - startedMs >= HUNG_MS) this.#add(host, 1, 0);
    this.#open.clear();
    return Array.from(this.#hosts, ([host, counts]) => ({ host, ...counts }));
  }

  #add(host: string, total: number, good: number): void {
    const counts = this.#hosts.get(host);
    if (counts) {
      counts.total += total;
      counts.good += good;
    } else if (this.#hosts.size < HOSTS_MAX) this.#hosts.set(host, { total, good });
    else this.#leftOut += total;
  }
}
