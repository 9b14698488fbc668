export * from "./address-policy.ts";
export { type Connect, DialError, type PinnedAddress, type StopSignal } from "./dial.ts";
export * from "./egress.ts";
export * from "./egress-denied.ts";
export { fetchGuarded } from "./guarded-fetch.ts";
export {
  GuardedFetchError,
  type GuardedFetchFailure,
  type GuardedRequest,
  type GuardedResponse,
} from "./guarded-request.ts";
export { addressOfHost } from "./host-policy.ts";
export { LookupShares } from "./lookup-shares.ts";
export {
  type Resolve,
  type ResolverHealth,
  resolveBySystem,
  systemResolverHealth,
} from "./system-resolver.ts";
