/** Text that replaces a secret wherever a configuration is shown or logged. */
export const REDACTED = "***REDACTED***";
