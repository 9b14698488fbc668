/**
 * The judges of assertions. To add one: its file beside this one, its line in the list below, its schema in the
 * contract.
 */
import { defineFamily } from "@svc/contract";
import { bodyContains } from "./body-contains.ts";
import { bodyJsonPath } from "./body-json-path.ts";
import { bodyMatches } from "./body-matches.ts";
import { headerValue } from "./header-value.ts";
import { openapiConformance } from "./openapi-conformance.ts";
import { responseTime } from "./response-time.ts";
import { sslExpiry } from "./ssl-expiry.ts";
import { statusCode } from "./status-code.ts";

/** The judge of every assertion type. */
export const assertionJudges = defineFamily("assertion", [
  statusCode,
  responseTime,
  bodyContains,
  bodyMatches,
  bodyJsonPath,
  headerValue,
  sslExpiry,
  openapiConformance,
]);
