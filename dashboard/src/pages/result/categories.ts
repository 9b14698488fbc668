/** The categories of failures in words. */
import type { Result } from "@svc/contract";

/** Sentence of each category. */
export const categoryWords: Readonly<Record<NonNullable<Result["errorCategory"]>, string>> = {
  dns: "The name could not be looked up",
  connect: "No connection came about",
  tls: "The secure connection was refused or not trusted",
  timeout: "It took longer than allowed",
  http: "The response could not be read",
  assertion: "The response was not what the check expects",
  script: "The script failed",
  protocol: "The target broke its protocol",
  heartbeat: "The job did not report that it went well",
};
