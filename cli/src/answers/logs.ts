/** Answers of `svc log` and `svc audit`. */
import { auditEntrySchema, changeSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { pageFields } from "./fields.ts";

/** Answers of `svc log`. */
export const log: Answers = { data: z.object({ changes: z.array(changeSchema), ...pageFields }) };

/** Answers of `svc audit`. */
export const audit: Answers = { data: z.object({ entries: z.array(auditEntrySchema), ...pageFields }) };
