import type { AssertionType } from "@svc/contract";
import { bodyContains } from "./body-contains.ts";
import { bodyJsonPath } from "./body-json-path.ts";
import { bodyMatches } from "./body-matches.ts";
import type { AssertionJudge } from "./define.ts";
import { headerValue } from "./header-value.ts";
import { openapiConformance } from "./openapi-conformance.ts";
import { responseTime } from "./response-time.ts";
import { sslExpiry } from "./ssl-expiry.ts";
import { statusCode } from "./status-code.ts";

const MEMBERS = [
  statusCode,
  responseTime,
  bodyContains,
  bodyMatches,
  bodyJsonPath,
  headerValue,
  sslExpiry,
  openapiConformance,
];

/** How each assertion type is judged. */
export const ASSERTION_JUDGES: ReadonlyMap<AssertionType, AssertionJudge> = new Map(
  MEMBERS.map((member) => [member.type, member as unknown as AssertionJudge]),
);
