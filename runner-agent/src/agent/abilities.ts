/** Says in one line what an agent can do where it runs. */
import { listed } from "@svc/contract";

/** Check types that an agent runs, and the families of addresses to which it has a route. */
export interface Abilities {
  capabilities: readonly string[];
  hasIpv4: boolean;
  hasIpv6: boolean;
}

/** How to get a family of addresses, for whoever runs the agent. */
export const IPV6_REMEDY =
  "give this machine an IPv6 address and a default route; in Docker, enable IPv6 for the network";

/** Returns what the agent can do. Pure. */
export function abilitiesText({ capabilities, hasIpv4, hasIpv6 }: Abilities): string {
  const types = `runs ${listed(capabilities, capabilities.length)} checks`;
  const families = [...(hasIpv4 ? ["IPv4"] : []), ...(hasIpv6 ? ["IPv6"] : [])];
  if (families.length === 2) return `${types}, of targets with IPv4 and IPv6 addresses`;
  const [only] = families;
  if (!only) return `${types}, of targets on this machine and its networks only: it has no route beyond`;
  const lacking = only === "IPv4" ? "IPv6" : "IPv4";
  return `${types}, of targets with ${only} addresses only: there is no route for ${lacking}`;
}
