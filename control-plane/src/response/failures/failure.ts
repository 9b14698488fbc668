/** A failure as the rules of analysis and hypothesis read it. */

/** Evidence beyond a failure's category, message and status code, drawn from the stored detail of its result. */
export interface FailureEvidence {
  /** The answer says when to come back, by its header Retry-After. */
  asksToComeBack: boolean;
  /** Hosts of other parties from which the page got an error or nothing; few, in the order of the requests. */
  failedHosts: readonly string[];
  /** The answer has another structure than the assertions expect: values are absent or of another type. */
  hasOtherStructure: boolean;
  /** Words of the first error that the page's own scripts did not catch; null: none is known. */
  pageError: string | null;
}

/** A result that is not a success. */
export interface Failure {
  category: string | null;
  /** Words of the probe, which may quote the target. */
  message: string | null;
  httpStatusCode: number | null;
  /** Absent where no detail was read. */
  evidence?: FailureEvidence | undefined;
}
