/** Why runs fail, in words. */
import type { ErrorCategory } from "@svc/contract";

/** What happened, by the category of a result's error; completes "the run failed because ...". */
export const errorCategories: Readonly<Record<ErrorCategory, string>> = {
  dns: "the name could not be resolved",
  connect: "the connection was refused or failed",
  tls: "the secure connection could not be made",
  timeout: "the target did not answer in time",
  http: "the answer was an HTTP error",
  assertion: "the answer was not as expected",
  script: "the script failed",
  protocol: "the answer broke its protocol",
  heartbeat: "the job did not report that it went well",
};
