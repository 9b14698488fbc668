/** Prebuilt dashboards, told in terms of the exported log records, whatever backend shows them. */
import type { TelemetryEventName } from "@svc/contract";

/** Which records: of these events, with these attributes. A value of `$check` is what the reader chose. */
export interface Selection {
  events: readonly TelemetryEventName[];
  where?: Readonly<Record<string, string>>;
}

interface Common extends Selection {
  title: string;
}

export type Panel =
  /** How many, over time. */
  | (Common & { kind: "count"; by: string })
  /** A numeric attribute, over time. */
  | (Common & {
      kind: "value";
      of: string;
      function: "avg" | "max" | "min" | "p95";
      by: string;
      unit: "ms" | "days" | "ratio" | "score";
    })
  /** How many, as one number for the whole time. */
  | (Common & { kind: "total" })
  /** How many for the whole time, the largest first. */
  | (Common & { kind: "top"; by: readonly string[] })
  /** The records themselves, newest first. */
  | (Common & { kind: "records" });

export interface Pack {
  id: string;
  title: string;
  description: string;
  /** The reader narrows it down to checks by name. */
  hasCheckFilter: boolean;
  panels: readonly Panel[];
}
