/** The name that stands beside the id of whoever acted. */
import * as z from "zod";

/** Schema of the name of a user or an API key that acted. */
export const actorNameSchema = z
  .string()
  .nullable()
  .describe(
    "Email address of the user, or name of the API key, also after they have left or it was revoked.",
  );
