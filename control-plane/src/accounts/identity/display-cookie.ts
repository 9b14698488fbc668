/** The cookie that carries a display session: the secret of the link, so that a screen goes on after it was restarted. */
import { DAY_MS, SECOND_MS } from "@svc/contract";
import type { FastifyReply } from "fastify";
import { sessionCookieOptions } from "./session-cookie.ts";

/** Name of the cookie that holds the secret of a display link. */
export const DISPLAY_COOKIE = "svc_display";

/** Time for which browsers keep a cookie at most. */
const COOKIE_LIFETIME_MS_MAX = 400 * DAY_MS;

/** Lets the browser read what the wall shows, with each request to this origin, until the link ends. */
export function setDisplayCookie(
  reply: FastifyReply,
  publicUrl: string,
  { secret, lifetimeMs }: { secret: string; lifetimeMs: number },
): void {
  void reply.setCookie(DISPLAY_COOKIE, secret, {
    ...sessionCookieOptions(publicUrl),
    // A screen opens the wall by itself; no other site has a reason to send the cookie along.
    sameSite: "strict",
    maxAge: Math.floor(Math.min(lifetimeMs, COOKIE_LIFETIME_MS_MAX) / SECOND_MS),
  });
}
