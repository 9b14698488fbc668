/** Tokens by which pushed checks report. Whoever knows one can report, and do nothing else. */
import type { CheckId } from "@svc/contract";
import { hashToken, newToken } from "../../accounts/identity/tokens.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import type { CheckModel } from "../row.ts";

/**
 * Returns the columns of a new token: its hash, by which reports find the check, and the token itself, sealed, since the
 * check's URL is shown again.
 */
export function newPushColumns(
  secrets: SecretBox,
  checkId: CheckId,
): Pick<CheckModel, "pushTokenHash" | "pushTokenSealed"> {
  const token = newToken();
  return { pushTokenHash: hashToken(token), pushTokenSealed: secrets.seal(token, checkId) };
}
