/** The networks that targets count for when a location's own reachability is judged. Pure. */
import { isIPv4, isIPv6 } from "node:net";
import { getDomain } from "tldts";
import { hostOf } from "../../checks/target-host.ts";

/**
 * Returns a name for the network of a target: targets with one name may fail together, so they count once. The name is the registrable domain
 * by the public suffix list, for an address its /24 (IPv4) or /48 (IPv6), and the host itself where it has no such domain. Suffixes that
 * companies have registered count as domains of theirs, so `a.github.io` and `b.github.io` are one network.
 * @returns null for a target without a host
 */
export function networkOfTarget(target: string | null): string | null {
  const host = hostOf(target);
  if (host === null) return null;
  const address = host.replace(/^\[|\]$/g, "");
  if (isIPv4(address)) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  if (isIPv6(address)) return `${groupsOf(address).slice(0, 3).join(":")}::/48`;
  return getDomain(host, { allowPrivateDomains: false }) ?? host;
}

/** Returns the groups before `::`, with zeros for those that are left out, without leading zeros. At least three. */
function groupsOf(address: string): string[] {
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...new Array<string>(zeros).fill("0"), ...tail];
}
