export type { ApiSpecHandle, ConformanceVerdict, ResponseToJudge } from "./handle.ts";
