export { judgeAssertions } from "./assertions/judge.ts";
export { BODY_ROOM_BYTES_DEFAULT, BodyRoom } from "./http/body-room.ts";
export * from "./probe.ts";
export { closeRegexPool } from "./regex-pool.ts";
export * from "./registry.ts";
