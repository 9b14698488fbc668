/** Routes of signing in and out. The identity provider's routes and pages for browsers are not listed here. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { successSchema } from "../base/success.ts";
import { identitySchema, linkTokenSchema, loginSchema, sessionSchema } from "../resources/session.ts";
import { defineRoute } from "./route.ts";

const tag = "Auth";

/** Routes of signing in and out, by operation. */
export const authRoutes = {
  login: defineRoute({
    method: "POST",
    path: "/api/auth/login",
    access: "public",
    tag,
    summary: "Sign in by password",
    body: loginSchema,
    answer: identitySchema,
    otherAnswers: { 401: errorSchema, 403: errorSchema },
  }),
  useLink: defineRoute({
    method: "POST",
    path: "/auth/link",
    access: "public",
    tag,
    summary: "Sign in by a one-time link",
    description:
      "The link itself, `GET /auth/link?token=`, shows a page with a button that does this, and uses nothing up.",
    body: linkTokenSchema,
    status: 303,
    answer: z.null().describe("Signed in: on to the dashboard"),
    otherAnswers: { 410: errorSchema },
  }),
  session: defineRoute({
    method: "GET",
    path: "/api/auth/session",
    access: "session",
    tag,
    summary: "Who is signed in",
    answer: sessionSchema,
  }),
  logout: defineRoute({
    method: "POST",
    path: "/api/auth/logout",
    access: "session",
    tag,
    summary: "End the session",
    answer: successSchema,
  }),
};
