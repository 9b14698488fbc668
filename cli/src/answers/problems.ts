/** Details of failures that a config, or a file with one resource, is the reason of. */
import * as z from "zod";

/** Schema of a problem of a file, with its position. */
export const problemSchema = z
  .object({
    path: z.string().describe("Path within the config, e.g. `monitors[3].url`; empty: it is about a file."),
    message: z.string(),
    file: z.string().describe("Path of the file, relative to the working folder."),
    line: z.number().optional().describe("Counted from 1; absent: it is about the whole file."),
    column: z.number().optional().describe("Counted from 1."),
  })
  .meta({ id: "Problem" });

/** Details of commands that read a config. */
export const configDetails = { problems: z.array(problemSchema) };

/** Details of commands that read one resource from flags and a file. */
export const fragmentDetails = {
  problems: z.array(z.union([problemSchema, z.string()])).describe("Of the file, or of the fields together."),
};
