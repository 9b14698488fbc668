/** The query by which a read of configurations answers no secret. */
import * as z from "zod";

/** Fields of the query of a masked read. */
export const maskedQuery = {
  secrets: z
    .enum(["shown", "masked"])
    .default("shown")
    .describe("masked: `***` stands for each secret; in a PUT it keeps the stored one."),
};

/** Fields of the query of a read of checks, of which an editor needs bodies and scripts. */
export const maskedCheckQuery = {
  secrets: z
    .enum(["shown", "masked", "masked_credentials"])
    .default("shown")
    .describe(
      "masked: `***` stands for each secret; in a PUT it keeps the stored one. masked_credentials: bodies and scripts are answered as they are.",
    ),
};
