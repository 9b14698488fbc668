import * as z from "zod";

/** Severities of alerts, incidents and insights, the worst first. */
export const SEVERITIES = ["critical", "warning", "info"] as const;
/** Schema of a severity. */
export const severitySchema = z.enum(SEVERITIES);
/** Severity of an alert, incident or insight. */
export type Severity = z.infer<typeof severitySchema>;
