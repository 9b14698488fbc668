/** The requests of a browser run, counted by host. SLOs of third parties are measured by them. */
import * as z from "zod";
import { hostRequestsSchema } from "../base/host-requests.ts";
import { defineFactKind } from "./define-fact-kind.ts";

/** Hosts of one run that are counted; requests to further ones are not. */
const HOSTS_PER_RUN_MAX = 300;

/** Schema of the counted requests of one run. */
const requestsSchema = z.object({ hosts: z.array(hostRequestsSchema).max(HOSTS_PER_RUN_MAX) });

/** The fact kind of counted requests. Each run has its own. */
export const requestsFact = defineFactKind({
  type: "requests",
  schema: requestsSchema,
  isOfEachRun: true,
  description: "How many requests a browser run made to each host, and how many of them were good.",
});
