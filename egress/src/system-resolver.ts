/**
 * The operating system's resolver, and whether a lookup that came to nothing is its own doing. getaddrinfo waits on threads of
 * which there are few, so slow names can hold up others; and a runner whose name server is gone can't judge any target.
 */
import dns from "node:dns";
import type { Resolve } from "./egress.ts";

/** ok: the name itself is the trouble. unreachable: no name server answers this machine. saturated: lookups queue up here. */
export type ResolverHealth = "ok" | "unreachable" | "saturated";

/** Codes of c-ares that prove a name server answered, if only to refuse. */
const ANSWER_CODES = new Set([
  "ENODATA",
  "EFORMERR",
  "ESERVFAIL",
  "ENOTFOUND",
  "ENOTIMP",
  "EREFUSED",
  "EBADRESP",
]);

const QUERY_TIMEOUT_MS = 1_000;
/** A verdict serves all runs that fail within this time. */
const VERDICT_LIFE_MS = 2_000;

let lookupsInFlight = 0;
let verdict: { healthy: Promise<boolean>; expiresAtMs: number } | undefined;

/** All addresses of a name, in the system's order, hosts file included. */
export const resolveBySystem: Resolve = async (hostname) => {
  lookupsInFlight++;
  try {
    return await dns.promises.lookup(hostname, { all: true, verbatim: true });
  } finally {
    lookupsInFlight--;
  }
};

/** To be asked when a lookup failed for no reason of the name's own, or took too long. Takes up to about 1 s; never rejects. */
export async function systemResolverHealth(): Promise<ResolverHealth> {
  if (lookupsInFlight >= lookupThreads()) return "saturated";
  const nowMs = performance.now();
  if (!verdict || verdict.expiresAtMs < nowMs)
    verdict = { healthy: nameServerAnswers(dns.getServers()), expiresAtMs: nowMs + VERDICT_LIFE_MS };
  return (await verdict.healthy) ? "ok" : "unreachable";
}

/** Whether any of these name servers answers a question about the root. */
export async function nameServerAnswers(servers: readonly string[]): Promise<boolean> {
  const resolver = new dns.promises.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 1 });
  const giveUp = setTimeout(() => resolver.cancel(), QUERY_TIMEOUT_MS);
  try {
    resolver.setServers([...servers]);
    await resolver.resolveNs(".");
    return true;
  } catch (error) {
    return ANSWER_CODES.has((error as NodeJS.ErrnoException).code ?? "");
  } finally {
    clearTimeout(giveUp);
  }
}

/** libuv lets lookups use half of its thread pool, rounded up. */
function lookupThreads(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  return Math.ceil(threads / 2);
}
