/** The cookie that carries a dashboard session. */
import type { CookieSerializeOptions } from "@fastify/cookie";
import { DAY_MS, SECOND_MS } from "@svc/contract";
import type { FastifyReply } from "fastify";

/** Name of the cookie that holds the token of a sign-in session. */
export const SESSION_COOKIE = "svc_session";

/** Time for which a session lasts from sign-in on. */
export const SESSION_LIFETIME_MS = 14 * DAY_MS;

/** Returns the cookie's attributes: HttpOnly, SameSite=Lax, and Secure when the public URL is https. */
export function sessionCookieOptions(publicUrl: string): CookieSerializeOptions {
  return {
    httpOnly: true,
    sameSite: "lax",
    secure: publicUrl.startsWith("https:"),
    path: "/",
  };
}

/** Signs the browser in: its next requests carry the session's token. */
export function setSessionCookie(reply: FastifyReply, publicUrl: string, token: string): void {
  void reply.setCookie(SESSION_COOKIE, token, {
    ...sessionCookieOptions(publicUrl),
    maxAge: SESSION_LIFETIME_MS / SECOND_MS,
  });
}
