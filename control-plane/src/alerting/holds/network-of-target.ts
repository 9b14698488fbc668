/** The networks that targets count for when a location's own reachability is judged. Pure. */
import { isIPv4, isIPv6 } from "node:net";
import { getDomain } from "tldts";
import { hostOf } from "../../checks/target-host.ts";
import { OWN_RESOLVER } from "../../checks/target-sql.ts";

/** Name of the one network of all checks that ask the resolver of the runner's own machine: no host has it. */
const OWN_RESOLVERS_NETWORK = "(the runner's resolver)";

/**
 * Returns a name for the network that a check's runs need first: that of its proxy or resolver, else that of its target. Checks that share
 * such a hop fail together when it fails, whatever their targets.
 * @returns null for a check without a target, or whose hop has no host
 */
export function networkOfWay({
  target,
  firstHop,
}: {
  target: string | null;
  firstHop: string | null;
}): string | null {
  if (target === null) return null;
  if (firstHop === OWN_RESOLVER) return OWN_RESOLVERS_NETWORK;
  return networkOfTarget(firstHop === null ? target : withScheme(firstHop));
}

/** Returns a resolver, which is a URL, a host or `host:port`, as a URL. */
function withScheme(hop: string): string {
  if (hop.includes("://")) return hop;
  return isIPv6(hop) ? `http://[${hop}]` : `http://${hop}`;
}

/**
 * Returns a name for the network of a target: targets with one name may fail together, so they count once. The name is the registrable domain
 * by the public suffix list, for an address its /24 (IPv4) or /48 (IPv6), and the host itself where it has no such domain. Suffixes that
 * companies have registered count as domains of theirs, so `a.github.io` and `b.github.io` are one network.
 * @returns null for a target without a host, or whose host only a vault knows
 */
export function networkOfTarget(target: string | null): string | null {
  const host = hostOf(target);
  if (host === null) return null;
  const address = host.replace(/^\[|\]$/g, "");
  if (isIPv4(address)) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  if (isIPv6(address)) return `${groupsOf(address).slice(0, 3).join(":")}::/48`;
  const name = getDomain(host, { allowPrivateDomains: false }) ?? host;
  // A reference to a vault may stand for any host.
  return name.includes("{{") ? null : name;
}

/** Returns the groups before `::`, with zeros for those that are left out, without leading zeros. At least three. */
function groupsOf(address: string): string[] {
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...new Array<string>(zeros).fill("0"), ...tail];
}
