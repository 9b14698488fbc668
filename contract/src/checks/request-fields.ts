/** Fields of one HTTP request: those that every check type has which sends requests that its author writes. */
import * as z from "zod";
import { assertionSchema } from "../assertions/registry.ts";
import { authSchema, headersSchema, httpUrlSchema, resendBodySchema } from "../base/fields.ts";
import { HTTP_METHODS } from "../base/http-methods.ts";
import { CONFIG_BYTES_MAX } from "./config-size.ts";

/** Schema of the assertions about the response to one request. */
export const responseAssertionsSchema = z
  .array(assertionSchema)
  .max(100, "at most 100 assertions")
  .default([]);

/** A request and where its redirects may lead. */
export const requestFields = {
  url: httpUrlSchema,
  method: z.enum(HTTP_METHODS).default("GET"),
  headers: headersSchema.optional(),
  body: z
    .string()
    .max(CONFIG_BYTES_MAX, `a body has at most ${CONFIG_BYTES_MAX} characters`)
    .optional()
    .describe("Not sent with GET and HEAD."),
  auth: authSchema.optional(),
  followRedirects: z.boolean().default(true),
  maxRedirects: z.int().min(0, "smallest is 0").max(20, "largest is 20").default(5),
  resendBody: resendBodySchema.optional(),
};
