import {
  type CreateDisplayLink,
  type CreatedDisplayLink,
  DISPLAY_LINK_LIFETIME_MS,
  DISPLAY_LINK_LIFETIME_MS_MAX,
  DISPLAY_LINKS_MAX,
  DomainError,
  invalidField,
  newId,
  pagePath,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashToken, newKey } from "../identity/tokens.ts";
import { insertDisplayLink } from "./store.ts";

/**
 * Makes a link that opens the wall. The answer is the one place where its secret exists in clear text: after the `#` of the
 * address, which browsers neither send nor pass on.
 * @throws DomainError `invalid` for an end that has passed or lies too far away; `limit_exceeded` beyond 100 links of the team
 */
export async function createDisplayLink(
  ctx: TeamContext,
  { expiresAt, ...link }: CreateDisplayLink,
): Promise<CreatedDisplayLink> {
  const { services, teamId, author } = ctx;
  const { knex, clock, publicUrl } = services;
  const secret = newKey("dl_");
  const nowMs = clock.nowMs();
  const endMs = expiresAt === null ? nowMs + DISPLAY_LINK_LIFETIME_MS : Date.parse(expiresAt);
  if (endMs <= nowMs) throw invalidField("expiresAt", "lies in the past");
  if (endMs > nowMs + DISPLAY_LINK_LIFETIME_MS_MAX)
    throw invalidField("expiresAt", "lies more than 5 years ahead");
  const stored = await knex.transaction(async (trx) => {
    const inserted = await insertDisplayLink(trx, {
      ...link,
      id: newId("displayLink"),
      teamId,
      secretHash: hashToken(secret),
      createdBy: author.actor,
      createdAt: new Date(nowMs),
      expiresAt: new Date(endMs),
    });
    if (inserted.count > DISPLAY_LINKS_MAX)
      throw new DomainError(
        "limit_exceeded",
        `A team has at most ${DISPLAY_LINKS_MAX} display links; revoke some`,
      );
    const { id, name } = inserted.stored;
    const detail = { expiresAt: new Date(endMs).toISOString() };
    await recordAudit(
      ctx,
      { action: "display_link.created", resourceId: id, resourceName: name, detail },
      trx,
    );
    return inserted.stored;
  });
  return { ...stored, url: `${publicUrl()}${pagePath("openDisplay", {})}#${secret}` };
}
