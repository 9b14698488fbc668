export * from "./probe.ts";
export * from "./registry.ts";
