/** Warns of API keys that end within a week, once for each key: in the audit log, in the list of keys, and by mail where it is set up. */
import { DAY_MS } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { OPERATOR } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { claimExpiringKeys, type ExpiringKey, listEmailsToWarn } from "./expiry-store.ts";

/** Time before the end of a key at which its owner is warned. Keys that live no longer than this end without a warning. */
const EXPIRY_WARNING_MS = 7 * DAY_MS;
/** Keys of one transaction. */
const KEYS_AT_ONCE = 100;
/** The service's own jobs, as the audit log names them. */
const SERVICE = { ...OPERATOR, name: "svc" };

/** A mail of the service's own, in plain text. */
export interface PlainMail {
  /** Lasting name of the mail: mail systems drop a repetition by it. */
  id: string;
  to: string[];
  subject: string;
  /** Paragraphs; they may hold names that people chose. */
  lines: string[];
}

/** Sends a mail from the operator's mail server. Rejects when the server can't take it. */
export type SendPlainMail = (mail: PlainMail) => Promise<void>;

/**
 * Warns of the keys that end within a week and were not warned of. The mail goes to the person who made the key, or to the team's
 * owners when that person is not in the team. A mail that fails is logged and not repeated: the list of keys shows the warning.
 * Safe to repeat, and beside another replica's call.
 * @param sendMail undefined: mail is not set up
 */
export async function warnOfExpiringKeys(
  services: Pick<Services, "knex" | "clock" | "onAudit" | "log">,
  sendMail: SendPlainMail | undefined,
): Promise<void> {
  const { knex, clock, log } = services;
  for (;;) {
    const nowMs = clock.nowMs();
    const keys = await knex.transaction(async (trx) => {
      const claimed = await claimExpiringKeys(trx, {
        nowMs,
        withinMs: EXPIRY_WARNING_MS,
        rowsMax: KEYS_AT_ONCE,
      });
      for (const { id, teamId, name, expiresAt } of claimed) {
        const about = { resourceId: id, resourceName: name, detail: { expiresAt } };
        await recordAudit(
          { services, teamId, author: SERVICE },
          { action: "api_key.expiring", ...about },
          trx,
        );
      }
      return claimed;
    });
    if (sendMail)
      for (const key of keys) {
        const to = await listEmailsToWarn(knex, key);
        if (to.length === 0) continue;
        await sendMail(mailOf(key, to)).catch((error: unknown) =>
          log.warn({ err: error, apiKeyId: key.id }, "the mail about an API key that ends soon was not sent"),
        );
      }
    if (keys.length < KEYS_AT_ONCE) return;
  }
}

function mailOf({ id, name, keyPrefix, teamName, expiresAt }: ExpiringKey, to: string[]): PlainMail {
  return {
    id: `${id}.expiring`,
    to,
    subject: `API key ${name} of ${teamName} ends on ${expiresAt.slice(0, 10)}`,
    lines: [
      `The API key ${name} (${keyPrefix}...) of the team ${teamName} is refused from ${expiresAt} on.`,
      "If something still uses it, make another key, change it there, and revoke this one.",
    ],
  };
}
