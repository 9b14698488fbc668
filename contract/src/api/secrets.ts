/** Routes of team secrets. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { successSchema } from "../base/success.ts";
import { createSecretSchema, secretSchema, updateSecretSchema } from "../resources/secret.ts";
import { defineRoute } from "./route.ts";

const tag = "Secrets";
const params = z.object({ id: idSchema("secret") });
const oneSecret = z.object({ secret: secretSchema });

/** Routes of team secrets, by operation. */
export const secretRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/secrets",
    access: "reads",
    tag,
    summary: "List the team's secrets by their names, without their values",
    answer: z.object({ secrets: z.array(secretSchema) }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/secrets",
    access: "changes",
    tag,
    summary: "Store a secret, which checks refer to as `{{vault.NAME}}`",
    description:
      "The value is write-only: no answer, log or result shows it. Any text of a check's configuration may hold references; an agent puts the values in their places when it runs the check.",
    body: createSecretSchema,
    status: 201,
    answer: oneSecret,
    otherAnswers: { 409: errorSchema },
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/secrets/:id",
    access: "changes",
    tag,
    summary: "Give a secret another value",
    description:
      "The checks that refer to it stay as they are. Their runs have the new value within about a second; a run has either the old one or the new one.",
    params,
    body: updateSecretSchema,
    answer: oneSecret,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/secrets/:id",
    access: "changes",
    tag,
    summary: "Delete a secret that no check refers to",
    description: "While checks refer to it the answer is 409 and names up to 20 of them.",
    params,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
  }),
};
