export { judgeAssertions } from "./assertions/judge.ts";
export { BODY_ROOM_BYTES_DEFAULT, BodyRoom } from "./http/body-room.ts";
export type { RedirectReview } from "./http/follow.ts";
export { type HttpOnce, runHttpOnce } from "./http/once.ts";
export type { Redirect } from "./http/redirects.ts";
export * from "./probe.ts";
export { closeRegexPool } from "./regex-pool.ts";
export * from "./registry.ts";
