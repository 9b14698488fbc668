export * from "./probe.ts";
