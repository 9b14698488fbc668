import { z } from "zod";

/** A label of a check: `key` or `key:value`; becomes the telemetry resource attribute `svc.label.<key>`. */
export const labelSchema = z
  .string()
  .max(128, "a label has at most 128 characters")
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9_.:-]*$/,
    "a label begins with a letter or digit and continues with letters, digits, _ . : -",
  );
