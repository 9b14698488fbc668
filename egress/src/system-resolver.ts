/**
 * The operating system's resolver, and whether a lookup that came to nothing is its own doing. getaddrinfo waits on threads of
 * which there are few, so slow names can hold up others; and a runner whose name server is gone can't judge any target. The
 * second opinion is a DNS query of our own, which needs no thread.
 */
import dns from "node:dns";

/** All addresses of a name. Rejects with an error that carries a `code` of node:dns. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** ok: the name itself is the trouble. unreachable: no name server answers this machine. saturated: the name is fine, and the
 *  lookup was held up in here. */
export type ResolverHealth = "ok" | "unreachable" | "saturated";

/** Codes of c-ares that prove a name server answered, if only to refuse. */
const REFUSAL_CODES = new Set(["EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED", "EBADRESP"]);
/** The name exists and has no address of this family. */
const NO_SUCH_RECORD = "ENODATA";

const QUERY_TIMEOUT_MS = 1_000;
/** Whether name servers answer at all is asked once for all runs that fail within this time. */
const VERDICT_LIFE_MS = 2_000;

let verdict: { answers: Promise<boolean>; expiresAtMs: number } | undefined;

/** All addresses of a name, in the system's order, hosts file included. */
export const resolveBySystem: Resolve = (hostname) =>
  dns.promises.lookup(hostname, { all: true, verbatim: true });

/** To be asked when a lookup failed without saying that the name does not exist. Takes up to about 2 s; never rejects. */
export function systemResolverHealth(hostname: string): Promise<ResolverHealth> {
  const servers = dns.getServers();
  return judgeLookup(hostname, servers, () => {
    const nowMs = performance.now();
    if (!verdict || verdict.expiresAtMs < nowMs)
      verdict = { answers: answersAtAll(servers), expiresAtMs: nowMs + VERDICT_LIFE_MS };
    return verdict.answers;
  });
}

/** Whose doing it is that a name could not be looked up. */
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
      // A name server that answers others is waiting for those of this name.
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
