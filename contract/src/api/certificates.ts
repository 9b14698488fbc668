/** Routes of the TLS certificates that checks see. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { nextCursorField, pageQuerySchema } from "../base/list-page.ts";
import { certificateSchema } from "../resources/certificate.ts";
import { defineRoute } from "./route.ts";

const tag = "Certificates";

/** Routes of certificates, by operation. */
export const certificateRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/certificates",
    access: "reads",
    isReport: true,
    tag,
    summary: "List the certificates that the team's checks see, the soonest to end first",
    description: "An entry is one host as one check sees it, with the newest sighting of each location.",
    query: pageQuerySchema,
    answer: z.object({
      certificates: z.array(certificateSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  listOfCheck: defineRoute({
    method: "GET",
    path: "/api/checks/:id/certificates",
    access: "reads",
    isReport: true,
    tag,
    summary: "List the certificates that a check sees, the soonest to end first",
    params: z.object({ id: idSchema("check") }),
    answer: z.object({ certificates: z.array(certificateSchema) }),
  }),
};
