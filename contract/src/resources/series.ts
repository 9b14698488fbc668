/** Series: response times and outcomes of a check over time, in buckets. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Most buckets of an answer. */
export const SERIES_BUCKETS_MAX = 400;

const column = z.array(z.number().nullable());

/** Schema of a series: columns with a value for each bucket. */
export const seriesSchema = z
  .object({
    checkId: idSchema("check"),
    from: timestampSchema.describe("Begin of the first bucket."),
    to: timestampSchema,
    bucketMs: z.number(),
    whole: z
      .object({
        success: z.number(),
        failure: z.number(),
        error: z.number(),
        timeout: z.number(),
        avgMs: z.number().nullable(),
        p50Ms: z.number().nullable(),
        p95Ms: z.number().nullable(),
        p99Ms: z.number().nullable(),
      })
      .describe("All buckets and locations together; null where the columns have null."),
    source: z.enum(["results", "rollups"]).describe("rollups: percentiles are exact to about 5 %."),
    series: z.array(
      z.object({
        locationId: idSchema("location").nullable().describe("null: all locations together."),
        success: z.array(z.number()),
        failure: z.array(z.number()),
        error: z.array(z.number()),
        timeout: z.array(z.number()),
        avgMs: column.describe("Response time, ms; null: the bucket has no result."),
        minMs: column,
        maxMs: column,
        p50Ms: column.describe("null also where rollups of an earlier version keep no distribution."),
        p95Ms: column,
        p99Ms: column,
        phasesMs: z
          .object({
            dnsLookupMs: column,
            tcpConnectMs: column,
            tlsHandshakeMs: column,
            ttfbMs: column,
            contentTransferMs: column,
          })
          .describe(
            "Mean time in each phase over all results of the bucket; a phase that did not happen counts 0.",
          ),
      }),
    ),
  })
  .meta({ id: "Series" });
/** Response times and outcomes of a check over time. */
export type Series = z.infer<typeof seriesSchema>;
