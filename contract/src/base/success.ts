import * as z from "zod";

/** Schema of the answer to a request that has no record to show. */
export const successSchema = z.object({ success: z.literal(true) });
