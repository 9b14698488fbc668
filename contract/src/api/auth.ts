/** Routes of signing in and out. The identity provider's routes and pages for browsers are not listed here. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { successSchema } from "../base/success.ts";
import { setPasswordSchema, signInSessionSchema, switchTeamSchema } from "../resources/people.ts";
import {
  identitySchema,
  loginSchema,
  sessionSchema,
  signInOptionsSchema,
  useLinkSchema,
} from "../resources/session.ts";
import { defineRoute } from "./route.ts";

const tag = "Auth";

/** Routes of signing in and out, by operation. */
export const authRoutes = {
  getOptions: defineRoute({
    method: "GET",
    path: "/api/auth/options",
    access: "public",
    tag,
    summary: "Tell how one can sign in",
    answer: signInOptionsSchema,
  }),
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
    body: useLinkSchema,
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
  switchTeam: defineRoute({
    method: "POST",
    path: "/api/auth/team",
    access: "session",
    tag,
    summary: "Go on in another team of the signed-in person",
    description: "The next sign-in leads to that team, too. 404 for a team that the person is not in.",
    body: switchTeamSchema,
    answer: sessionSchema,
    otherAnswers: { 404: errorSchema },
  }),
  listSignInSessions: defineRoute({
    method: "GET",
    path: "/api/auth/sessions",
    access: "session",
    tag,
    summary: "List the sessions of one's own account, in all of its teams",
    answer: z.object({ sessions: z.array(signInSessionSchema) }),
  }),
  deleteSignInSession: defineRoute({
    method: "DELETE",
    path: "/api/auth/sessions/:id",
    access: "session",
    tag,
    summary: "End a session of one's own account",
    params: z.object({ id: idSchema("session") }),
    answer: successSchema,
  }),
  setPassword: defineRoute({
    method: "POST",
    path: "/api/auth/password",
    access: "session",
    tag,
    summary: "Choose another password; the account's other sessions end",
    body: setPasswordSchema,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
  }),
};
