/** The name that stands beside the id of whoever acted. */
import * as z from "zod";

/** Schema of the name of a user, an API key or a channel that acted. */
export const actorNameSchema = z
  .string()
  .nullable()
  .describe(
    "Email address of the user, name of the API key, or the channel with its name, also after they have left or it was revoked or deleted.",
  );
