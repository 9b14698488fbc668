import * as z from "zod";

/** How bad: critical, warning or info. */
export const SEVERITIES = ["critical", "warning", "info"] as const;
export const severitySchema = z.enum(SEVERITIES);
export type Severity = z.infer<typeof severitySchema>;
