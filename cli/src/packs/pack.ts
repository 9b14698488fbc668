/** Describes prebuilt dashboards in terms of the exported log records, independent of the backend that shows them. */
import type { TelemetryEventName } from "@svc/contract";

/** Selects records of these events with these attributes. The reader chooses the value of `$check`. */
export interface Selection {
  events: readonly TelemetryEventName[];
  where?: Readonly<Record<string, string>>;
}

interface Common extends Selection {
  title: string;
}

/** One panel of a dashboard. */
export type Panel =
  /** Number of records over time. */
  | (Common & { kind: "count"; by: string })
  /** A numeric attribute over time. */
  | (Common & {
      kind: "value";
      of: string;
      function: "avg" | "max" | "min" | "p95";
      by: string;
      unit: "ms" | "days" | "ratio" | "score";
    })
  /** Number of records in the whole time, as one number. */
  | (Common & { kind: "total" })
  /** Numbers of records in the whole time by attribute, the largest first. */
  | (Common & { kind: "top"; by: readonly string[] })
  /** The records themselves, newest first. */
  | (Common & { kind: "records" });

/** One dashboard. */
export interface Pack {
  id: string;
  title: string;
  description: string;
  /** True when the reader can narrow the dashboard down to checks by name. */
  hasCheckFilter: boolean;
  panels: readonly Panel[];
}
