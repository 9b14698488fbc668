import type { AssertionType } from "@svc/contract";
import { bodyContains } from "./body-contains.ts";
import type { AssertionJudge } from "./define.ts";
import { headerValue } from "./header-value.ts";
import { responseTime } from "./response-time.ts";
import { statusCode } from "./status-code.ts";

const MEMBERS = [statusCode, responseTime, bodyContains, headerValue];

/** How each assertion type is judged. */
export const ASSERTION_JUDGES: ReadonlyMap<AssertionType, AssertionJudge> = new Map(
  MEMBERS.map((member) => [member.type, member as unknown as AssertionJudge]),
);
