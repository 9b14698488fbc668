export * from "./address-policy.ts";
export { type Connect, DialError } from "./dial.ts";
export * from "./egress.ts";
export * from "./egress-denied.ts";
export { addressOfHost } from "./host-policy.ts";
