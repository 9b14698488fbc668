/** A check as the files of a config. */
import { isDescribable } from "@svc/as-code";
import type { CheckAsCode, CheckId } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { TOO_LARGE } from "./config-size.ts";
import { readCheckRecords } from "./read-check-records.ts";
import { recordAsCode } from "./record-as-code.ts";

/**
 * Returns what `svc pull --monitor` writes of a check; no value of a secret is in it.
 * @throws DomainError `not_found` when the team has no such check, `unavailable` when too many are being written, or
 * writing it takes too long
 */
export async function getCheckAsCode(ctx: TeamContext, { id }: { id: CheckId }): Promise<CheckAsCode> {
  const records = await readCheckRecords(ctx, [id]);
  const { note: _, ...answer } = await recordAsCode(
    ctx,
    id,
    !records
      ? { reason: `The check has ${TOO_LARGE}` }
      : records.checks.every(isDescribable)
        ? { records }
        : { reason: "A config can't describe a browser check of a single URL: its monitors have scripts." },
  );
  return answer;
}
