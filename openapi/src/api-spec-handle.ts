/** A compiled OpenAPI document as the users of this package hold it. */
import type { ConformanceResult, ResponseToJudge } from "./conformance/conformance-result.ts";

/** Judges responses by one document, wherever that document was compiled. */
export interface ApiSpecHandle {
  /** Judges one response. Never rejects because of anything the target did. */
  judge(response: ResponseToJudge): Promise<ConformanceResult>;
}
