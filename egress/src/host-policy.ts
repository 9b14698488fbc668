/** Decides which host names may be looked up, and which hosts are addresses already. Pure. */
import ipaddr from "ipaddr.js";
import type { AddressPolicy } from "./address-policy.ts";
import type { DenialReason } from "./egress-denied.ts";
import { isMetadataHostName } from "./metadata-services.ts";

/**
 * Returns a host name in the form that the rules compare: lower case, without the trailing dot of a fully qualified
 * name.
 */
export function comparableHostName(hostname: string): string {
  const lower = hostname.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/**
 * Returns the IP address that a host is, or undefined when it is a name. Takes a URL's hostname (brackets allowed) or
 * any text that a resolver would read as an address: decimal, octal, hexadecimal, short and full-width forms included.
 */
export function addressOfHost(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") && hostname.endsWith("]") ? hostname.slice(1, -1) : hostname;
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return bare;
  if (bare.includes(":")) return ipaddr.IPv6.isValid(bare) ? bare : undefined;
  // A name's last label starts with a letter. The URL standard decides about everything that could be a number.
  if (/^[a-z]/i.test(bare.slice(bare.lastIndexOf(".", bare.length - 2) + 1))) return undefined;
  const text = `http://${bare}/`;
  const { hostname: canonical } = URL.canParse(text) ? new URL(text) : { hostname: "" };
  return ipaddr.IPv4.isValidFourPartDecimal(canonical) ? canonical : undefined;
}

/** Returns why a name may not be looked up at all (a clause), or undefined when its addresses decide. */
export function hostNameDenial(hostname: string, { allowPrivate }: AddressPolicy): DenialReason | undefined {
  const name = comparableHostName(hostname);
  if (isMetadataHostName(name)) return "it names a cloud metadata service, which checks may never reach";
  if (!allowPrivate && isLocalhostName(name)) return "it names this machine";
  return undefined;
}

/** True for `localhost` and every name below it (RFC 6761). */
export function isLocalhostName(comparableName: string): boolean {
  return comparableName === "localhost" || comparableName.endsWith(".localhost");
}
