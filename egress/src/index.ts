export * from "./address-policy.ts";
export { DialError, type PinnedAddress, type StopSignal } from "./dial.ts";
export * from "./egress.ts";
export * from "./egress-denied.ts";
export { fetchGuarded } from "./guarded-fetch.ts";
export {
  GuardedFetchError,
  type GuardedResponse,
  shownUrl,
} from "./guarded-request.ts";
export { addressOfHost } from "./host-policy.ts";
export { LookupShares } from "./lookup-shares.ts";
export * from "./redirect-rules.ts";
export {
  createResolverHealth,
  resolveBySystem,
} from "./system-resolver.ts";
