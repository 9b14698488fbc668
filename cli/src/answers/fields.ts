/** Fields that answers of several commands have. */
import * as z from "zod";

/** Fields of a list that is read page by page. */
export const pageFields = { limit: z.number(), offset: z.number() };

/** Field that names the fields which a change of a resource changed. */
export const changedField = {
  changed: z.array(z.string()).describe("The fields that were changed; none when nothing differed."),
};
