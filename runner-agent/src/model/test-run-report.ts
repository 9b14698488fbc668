/** Report about a test run, for the control plane. */
import type { RunFaultReason } from "@svc/contract";
import type { ResultRecord } from "./result-record.ts";

/** A picture of the page, JPEG. */
export interface TestRunPicture {
  /** The step at whose end it was taken; empty: none. */
  step: string;
  jpeg: Buffer;
}

/** One step of a test run at a location: it began, has a result, or could not be run. */
export interface TestRunReport {
  testRunId: string;
  locationKey: number;
  said:
    | { kind: "started" }
    | { kind: "result"; record: ResultRecord; pictures: TestRunPicture[] }
    | { kind: "fault"; reason: RunFaultReason };
}

/** A report with its number. */
export interface NumberedReport extends TestRunReport {
  /** Unique within this process; 0: no acknowledgement is expected. */
  seq: number;
}
