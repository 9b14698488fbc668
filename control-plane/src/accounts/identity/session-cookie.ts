/** The cookie that carries a dashboard session. */
import type { CookieSerializeOptions } from "@fastify/cookie";

export const SESSION_COOKIE = "svc_session";

/** How long a session lasts, from sign-in. */
export const SESSION_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000;

/** Out of reach for scripts, not sent along by other sites' requests but links, over https only when we are served so. */
export function sessionCookieOptions(publicUrl: string): CookieSerializeOptions {
  return {
    httpOnly: true,
    sameSite: "lax",
    secure: publicUrl.startsWith("https:"),
    path: "/",
  };
}
