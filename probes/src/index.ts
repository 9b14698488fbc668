/** The entry of the package: the registry of probes, the types they are called with, and of single attempts. */
export * from "./registry.ts";
export type * from "./run/artifacts.ts";
export { BODY_BUDGET_BYTES_DEFAULT, BodyBudget } from "./run/body-budget.ts";
export type * from "./run/outcome.ts";
export type * from "./run/probe.ts";
export type { TrafficLimits } from "./run/traffic-limits.ts";
