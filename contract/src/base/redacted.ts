/** Stands in place of a secret wherever a configuration is shown or logged. */
export const REDACTED = "***REDACTED***";
