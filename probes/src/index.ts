export { judgeAssertions } from "./assertions/judge.ts";
export * from "./probe.ts";
export { closeRegexPool } from "./regex-pool.ts";
export * from "./registry.ts";
