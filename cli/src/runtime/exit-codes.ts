/** The exit codes of `svc`, by the `error.code` that goes with each in --json. */
export const EXIT_CODES = {
  success: 0,
  general_error: 1,
  auth_failure: 2,
  plan_limit: 3,
  partial_failure: 4,
  drift_detected: 5,
  unhealthy: 10,
  interrupted: 130,
} as const;
/** Name of an exit code. */
export type ExitReason = keyof typeof EXIT_CODES;

/** Meaning of each exit code, for the table of docs/cli.md. */
export const EXIT_MEANINGS: Readonly<Record<ExitReason, string>> = {
  success: "the work is done",
  general_error:
    "wrong usage, a mistake in the config, an error of the API, a service that can't be reached; of `test`, a failed monitor; of `monitors generate`, a script that failed when it was tried",
  auth_failure: "there is no key, or the service refuses it",
  plan_limit: "a limit of the plan or a quota allows no more",
  partial_failure:
    "some of the work was done, some not; with `deploy --wait`, a first result that is no success",
  drift_detected: "somebody changed on the service what a deploy would change",
  unhealthy: "`status` found an unhealthy monitor",
  interrupted: "Ctrl+C before anything was changed",
};
