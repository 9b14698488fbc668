/** Sessions of the dashboard: sign-in, and the identity behind a session. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { newPasswordSchema } from "./people.ts";
import { TEAM_ROLES } from "./role.ts";

/** Body of POST /api/auth/login. */
export const loginSchema = closedObject({
  email: z.string().trim().min(1, "an email address is needed").max(320),
  password: z.string().min(1, "a password is needed").max(1024, "a password has at most 1024 characters"),
});

/** Schema of the ways of signing in that the service offers, for its sign-in page. */
export const signInOptionsSchema = z
  .object({
    password: z.boolean().describe("Whether people sign in by email address and password."),
    oidcStartUrl: z
      .string()
      .nullable()
      .describe("Path at which signing in at the identity provider begins; null: none is configured."),
  })
  .meta({ id: "SignInOptions" });

/** Schema of a one-time link's token: the link's query. */
export const linkTokenSchema = closedObject({
  token: z.string().min(1, "a link holds a token").max(256, "no token is that long"),
});

/** Body of POST /auth/link. */
export const useLinkSchema = linkTokenSchema.extend({
  password: z
    .preprocess((given) => (given === "" ? undefined : given), newPasswordSchema.optional())
    .describe("The first password of an account that has none; nothing changes one that exists."),
});

/** Schema of a user. */
const userSchema = z
  .object({ id: idSchema("user"), email: z.string(), name: z.string().nullable() })
  .meta({ id: "User" });

/** Schema of a team. */
const teamSchema = z
  .object({ id: idSchema("team"), name: z.string(), plan: z.string() })
  .meta({ id: "Team" });

/** Schema of the signed-in user and the team of the session. */
export const identitySchema = z.object({ user: userSchema, team: teamSchema });
/** The signed-in user and the team of the session. */
export type Identity = z.infer<typeof identitySchema>;

/** Schema of a sign-in session: who is signed in, and for which team. */
export const sessionSchema = z
  .object({
    user: userSchema,
    team: teamSchema,
    role: z.enum(TEAM_ROLES).describe("The person's role in that team."),
    teams: z
      .array(z.object({ id: idSchema("team"), name: z.string(), role: z.enum(TEAM_ROLES) }))
      .describe("All teams of the person, the first joined first."),
    expiresAt: timestampSchema,
  })
  .meta({ id: "Session" });
/** The caller's session: user, team, role, and the person's other teams. */
export type Session = z.infer<typeof sessionSchema>;
