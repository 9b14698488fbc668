/** A config that is valid by itself and can't be planned beside what the service has. */
export class PlanError extends Error {
  /** Says what to do. */
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, hint: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "PlanError";
    this.hint = hint;
    this.details = details;
  }
}
