/** The query by which a read of configurations answers no secret. */
import * as z from "zod";

/** Fields of the query of a masked read. */
export const maskedQuery = {
  secrets: z
    .enum(["shown", "masked"])
    .default("shown")
    .describe("masked: `***` stands for each secret; in a PUT it keeps the stored one."),
};
