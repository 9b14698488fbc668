import { type Check, MASK, roleIncludes } from "@svc/contract";
import type { Caller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import type { CheckModel, SecretsShown } from "../row.ts";

/** Returns how a caller sees the URLs of pushed checks: only who may change checks sees the tokens. */
export function shownTo({ role }: Pick<Caller, "role">, secrets: SecretsShown): SecretsShown {
  return roleIncludes(role, "member") ? secrets : "masked";
}

/** Returns a check with the URL that it reports to, its token masked unless `shown`; a check that is probed as it is. */
export function withPushUrl<C extends Check>(
  { secrets, publicUrl }: Pick<Services, "secrets" | "publicUrl">,
  { row, check }: { row: Pick<CheckModel, "id" | "pushTokenSealed">; check: C },
  shown: SecretsShown,
): C {
  if (row.pushTokenSealed === null) return check;
  const token = shown === "shown" ? secrets.open(row.pushTokenSealed, row.id) : MASK;
  return { ...check, pushUrl: `${publicUrl()}/hb/${token}` };
}
