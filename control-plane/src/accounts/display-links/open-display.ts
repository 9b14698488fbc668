import { type Display, DomainError } from "@svc/contract";
import type { FastifyReply } from "fastify";
import type { Services } from "../../platform/services.ts";
import { setDisplayCookie } from "../identity/display-cookie.ts";
import { hashToken } from "../identity/tokens.ts";
import { findDisplay } from "./store.ts";

/**
 * Begins or renews the display session of a browser: its cookie lasts until the link ends. Safe to repeat, on any number of
 * screens.
 * @throws DomainError `gone` when the link was revoked or has expired
 */
export async function openDisplay(
  { knex, clock, publicUrl }: Pick<Services, "knex" | "clock" | "publicUrl">,
  reply: FastifyReply,
  secret: string,
): Promise<Display> {
  const nowMs = clock.nowMs();
  const display = await findDisplay(knex, { secretHash: hashToken(secret), now: new Date(nowMs) });
  if (!display) throw new DomainError("gone", "This display link was revoked or has expired");
  const lifetimeMs = Date.parse(String(display.expiresAt)) - nowMs;
  setDisplayCookie(reply, publicUrl(), { secret, lifetimeMs });
  return display;
}
