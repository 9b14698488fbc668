export * from "./address-policy.ts";
export { type Connect, DialError, type PinnedAddress, type StopSignal } from "./dial.ts";
export * from "./egress.ts";
export * from "./egress-denied.ts";
export * from "./guarded-fetch.ts";
export { addressOfHost } from "./host-policy.ts";
export type { Resolve, ResolverHealth } from "./system-resolver.ts";
