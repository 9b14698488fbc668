export { judgeAssertions } from "./assertions/judge.ts";
export { closeRegexPool } from "./base/regex-pool.ts";
export type { RedirectReview } from "./http/follow-redirects.ts";
export type { Redirect } from "./http/redirects.ts";
export { type HttpOnce, runHttpOnce } from "./http-check/once.ts";
export * from "./registry.ts";
export { BODY_ROOM_BYTES_DEFAULT, BodyRoom } from "./run/body-budget.ts";
export * from "./run/probe.ts";
