/**
 * The operating system's resolver, and the question whether a failed lookup is its own fault. getaddrinfo occupies one
 * of few threads, so that slow names can hold up others; and a runner without a name server can't judge any target. The
 * second opinion is a DNS query of our own, which needs no thread.
 */
import dns from "node:dns";

/** Resolves with all addresses of a name. Rejects with an error that carries a `code` of node:dns. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/**
 * Cause of a failed lookup.
 * - `ok`: the name itself
 * - `unreachable`: no name server answers this machine
 * - `saturated`: the name is fine, and the lookup was held up inside this process
 */
export type ResolverHealth = "ok" | "unreachable" | "saturated";

/** Codes of c-ares which prove that a name server answered, if only to refuse. */
const REFUSAL_CODES = new Set(["EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED", "EBADRESP"]);
/** The name exists and has no address of this family. */
const NO_SUCH_RECORD = "ENODATA";

const QUERY_TIMEOUT_MS = 1_000;
/** Time for which the answer to "do name servers answer at all" is kept, so that many failing runs ask it once. */
const ANSWERS_LIFE_MS = 2_000;

/** Resolves with all addresses of a name, in the system's order, hosts file included. */
export const resolveBySystem: Resolve = (hostname) =>
  dns.promises.lookup(hostname, { all: true, verbatim: true });

/**
 * Makes the question whether a failed lookup is the resolver's own fault; for failures other than "no such name". The
 * question takes up to about 2 s and never rejects.
 * @param nowMs monotonic clock, ms
 */
export function createResolverHealth(nowMs: () => number): (hostname: string) => Promise<ResolverHealth> {
  let lastCheck: { answers: Promise<boolean>; expiresAtMs: number } | undefined;
  return (hostname) => {
    const servers = dns.getServers();
    return judgeLookup(hostname, servers, () => {
      const checkedAtMs = nowMs();
      if (!lastCheck || lastCheck.expiresAtMs < checkedAtMs)
        lastCheck = { answers: answersAtAll(servers), expiresAtMs: checkedAtMs + ANSWERS_LIFE_MS };
      return lastCheck.answers;
    });
  };
}

/**
 * Judges failed lookups for every egress of the process that was given no other judge, and asks name servers once for
 * all.
 */
export const systemResolverHealth = createResolverHealth(() => performance.now());

/** Resolves with the cause of a failed lookup, by asking these name servers. Never rejects. */
export async function judgeLookup(
  hostname: string,
  servers: readonly string[],
  doServersAnswer = () => answersAtAll(servers),
): Promise<ResolverHealth> {
  switch (await ask(servers, (resolver) => resolver.resolve4(hostname))) {
    case "answer":
      return "saturated";
    case "refusal":
      return "ok";
    case "silence":
      // A name server that answers other questions is waiting for the servers of this name.
      return (await doServersAnswer()) ? "ok" : "unreachable";
  }
}

async function answersAtAll(servers: readonly string[]): Promise<boolean> {
  return (await ask(servers, (resolver) => resolver.resolveNs("."))) !== "silence";
}

async function ask(
  servers: readonly string[],
  query: (resolver: dns.promises.Resolver) => Promise<unknown>,
): Promise<"answer" | "refusal" | "silence"> {
  const resolver = new dns.promises.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 1 });
  const giveUp = setTimeout(() => resolver.cancel(), QUERY_TIMEOUT_MS);
  try {
    resolver.setServers([...servers]);
    await query(resolver);
    return "answer";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === NO_SUCH_RECORD) return "answer";
    return REFUSAL_CODES.has(code) ? "refusal" : "silence";
  } finally {
    clearTimeout(giveUp);
  }
}
