/** The exit codes of `svc`, by the `error.code` that goes with each in --json. */
export const EXIT_CODES = {
  success: 0,
  /** Validation failure, API error, missing config. */
  general_error: 1,
  auth_failure: 2,
  /** Plan or quota exceeded; a deep analysis that is rate-limited or cooling down. */
  plan_limit: 3,
  /** Some of the work was done, some not; `deploy --wait` met a failing first result. */
  partial_failure: 4,
  drift_detected: 5,
  /** `status` found an unhealthy monitor. */
  unhealthy: 10,
  /** Ctrl+C before anything was changed: 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const;
/** Name of an exit code. */
export type ExitReason = keyof typeof EXIT_CODES;
