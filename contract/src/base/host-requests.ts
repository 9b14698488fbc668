/** The requests of a browser run to one host, counted. */
import * as z from "zod";

/** Requests to one host in one run, at most: more than any page makes. */
const REQUESTS_MAX = 100_000;

/** Schema of the counted requests to one host. */
export const hostRequestsSchema = z
  .object({
    host: z.string().min(1).max(253).describe("As in the URL: lower case, IDNA in ASCII."),
    total: z.int().min(1).max(REQUESTS_MAX),
    good: z.int().min(0).describe("Of total: answered without an error or a 5xx."),
  })
  .refine(({ good, total }) => good <= total, "good is at most total");
/** Requests of one run to one host. */
export type HostRequests = z.infer<typeof hostRequestsSchema>;
