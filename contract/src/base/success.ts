import * as z from "zod";

/** Answer of a request that leaves nothing to show. */
export const successSchema = z.object({ success: z.literal(true) });
