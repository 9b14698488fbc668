/**
 * Decides which addresses may be connected to. Pure. An address that carries another one (mapped, translated, tunnelled) is
 * judged by each address that it carries, since the packet may end up there.
 */
import ipaddr from "ipaddr.js";
import type { DenialReason } from "./egress-denied.ts";
import { isMetadataAddress } from "./metadata-services.ts";

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** Ranges that `allowPrivate` opens, with their name for messages. */
const PRIVATE_RANGES: Readonly<Record<string, string>> = {
  private: "a private address",
  loopback: "a loopback address",
  linkLocal: "a link-local address",
  uniqueLocal: "a unique-local address",
  deprecatedSiteLocal: "a site-local address",
  carrierGradeNat: "a carrier-grade NAT address",
  unspecified: "the unspecified address, which reaches this machine",
  benchmarking: "a benchmarking address",
};

/** Ranges in which nothing can be monitored. */
const UNUSABLE_RANGES: Readonly<Record<string, string>> = {
  multicast: "a multicast address",
  broadcast: "the broadcast address",
};

/** ipaddr.js counts RFC 2544's range as reserved; networks do use it inside, like RFC 1918 space. */
const BENCHMARKING_V4 = ipaddr.IPv4.parseCIDR("198.18.0.0/15");
/** RFC 8215: a network's own NAT64 prefix. */
const LOCAL_NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b:1::/48");
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR("::/96");
const DOTTED_IPV4_COMPATIBLE = /^::\d+\.\d+\.\d+\.\d+$/;
const COMPATIBLE_WORDS = "a deprecated IPv4-compatible address";
/** The range that IANA has assigned for global unicast so far. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** The operator's choice about addresses that are not public. */
export interface AddressPolicy {
  /** True when private, loopback and link-local addresses may be reached. */
  allowPrivate: boolean;
}

/**
 * Judges one address.
 * @param text an IPv4 or IPv6 address in its usual text form; a zone id is ignored
 * @returns the reason of a denial (a noun phrase), or undefined when the address may be connected to
 */
export function addressDenial(text: string, { allowPrivate }: AddressPolicy): DenialReason | undefined {
  if (!ipaddr.isValid(text)) return "not an IP address";
  // ipaddr.js reads this one form as IPv4-mapped, which it isn't.
  if (DOTTED_IPV4_COMPATIBLE.test(text)) return COMPATIBLE_WORDS;
  return ipDenial(ipaddr.parse(text.split("%", 1)[0] as string), allowPrivate);
}

function ipDenial(ip: Ip, allowPrivate: boolean): DenialReason | undefined {
  if (isMetadataAddress(ip)) return "it belongs to a cloud metadata service, which checks may never reach";
  return ip instanceof ipaddr.IPv4 ? rangeDenial(rangeOfV4(ip), allowPrivate) : ipv6Denial(ip, allowPrivate);
}

function rangeOfV4(ip: ipaddr.IPv4): string {
  return ip.match(BENCHMARKING_V4) ? "benchmarking" : ip.range();
}

function ipv6Denial(ip: ipaddr.IPv6, allowPrivate: boolean): DenialReason | undefined {
  for (const carried of carriedIpv4(ip)) {
    const denial = ipDenial(carried, allowPrivate);
    if (denial) return `it carries an IPv4 address, and that is ${denial}`;
  }
  const range = ip.range();
  if (range === "ipv4Mapped" || range === "rfc6145" || range === "6to4" || range === "teredo")
    return undefined;
  if (range === "rfc6052")
    return ip.match(LOCAL_NAT64) && !allowPrivate ? "a network's own NAT64 address" : undefined;
  if (range === "unicast") {
    if (ip.match(IPV4_COMPATIBLE)) return COMPATIBLE_WORDS;
    return ip.match(GLOBAL_UNICAST_V6) ? undefined : "a reserved address";
  }
  return rangeDenial(range, allowPrivate);
}

function rangeDenial(range: string, allowPrivate: boolean): DenialReason | undefined {
  if (range === "unicast") return undefined;
  const privateWords = PRIVATE_RANGES[range];
  if (privateWords) return allowPrivate ? undefined : privateWords;
  return UNUSABLE_RANGES[range] ?? "a reserved address";
}

/**
 * Returns the IPv4 addresses that an IPv6 address carries: mapped, compatible, SIIT, NAT64, 6to4, Teredo (server and
 * client), ISATAP.
 */
function carriedIpv4(ip: ipaddr.IPv6): ipaddr.IPv4[] {
  const parts = ip.parts;
  const at = (index: number, mask = 0) => {
    const high = (parts[index] as number) ^ mask;
    const low = (parts[index + 1] as number) ^ mask;
    return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  };
  switch (ip.range()) {
    case "ipv4Mapped":
    case "rfc6145":
    case "rfc6052":
      return [at(6)];
    case "6to4":
      return [at(1)];
    case "teredo":
      return [at(2), at(6, 0xffff)];
    default:
      break;
  }
  if (ip.range() === "unicast" && ip.match(IPV4_COMPATIBLE)) return [at(6)];
  const isIsatap = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
  return isIsatap ? [at(6)] : [];
}
