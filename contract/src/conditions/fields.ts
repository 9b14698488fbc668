/** Field rules that several alert conditions share. */
import * as z from "zod";
import { severitySchema } from "../base/severity.ts";

/** A number of runs or results: at most what is still looked back at. */
export const countSchema = z.int().min(1, "smallest is 1").max(1000, "largest is 1000");

/** Severity of a condition about certificates: critical when it isn't set. */
export const sslSeveritySchema = severitySchema.optional().describe("critical when not set.");
