/**
 * The addresses and names at which cloud platforms serve credentials and configuration to any process inside an
 * instance. Denied always, even where private addresses are allowed: one request there can give away the operator's
 * cloud account.
 */
import ipaddr from "ipaddr.js";

type Cidr<Address> = [Address, number];

/** Sources: the platforms' instance metadata documentation. Whole /24s where a platform keeps several services in one. */
const IPV4_RANGES: readonly Cidr<ipaddr.IPv4>[] = [
  "169.254.169.0/24", // AWS, Google Cloud, Azure, Oracle, DigitalOcean, OpenStack (.254), AWS resolver and clock
  "169.254.170.0/24", // AWS ECS task credentials (.2), EKS pod identity (.23)
  "169.254.128.0/22", // Azure App Service and Container Apps: managed identities
  "169.254.42.42/32", // Scaleway
  "169.254.0.23/32", // Tencent Cloud
  "100.100.100.200/32", // Alibaba Cloud
  "168.63.129.16/32", // Azure WireServer
  "192.0.0.192/32", // Oracle Cloud
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

const IPV6_RANGES: readonly Cidr<ipaddr.IPv6>[] = [
  "fd00:ec2::/32", // AWS (::254 metadata, ::23 EKS pod identity, ::253 resolver)
  "fd20:ce::254/128", // Google Cloud
  "fd00:42::42/128", // Scaleway
  "fe80::a9fe:a9fe/128", // OpenStack
  "fd00:a9fe:a9fe::/48", // Akamai (Linode)
].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));

const HOST_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.tencentyun.com",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** True when the address belongs to a cloud metadata service. */
export function isMetadataAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv4
    ? IPV4_RANGES.some((range) => address.match(range))
    : IPV6_RANGES.some((range) => address.match(range));
}

/** True when the name is that of a metadata service. Takes a lower-case name without trailing dot. */
export function isMetadataHostName(hostname: string): boolean {
  return HOST_NAMES.has(hostname);
}
