/** Keeps a check's credentials out of what its results say: targets repeat them in redirects, pages and messages. */
import { type CredentialMasker, credentialMasker, type ResultDetail } from "@svc/contract";
import type { ProbeOutcome } from "./outcome.ts";

/** Shortest credential that is looked for in what a target said; "user" or "test" stand in any page. */
const LENGTH_MIN = 6;

const maskers = new WeakMap<object, CredentialMasker>();

/**
 * Returns the outcome without the configuration's credentials, in whatever text of its detail they stand, and without those
 * of any URL, except in the body of the response, which is evidence. An outcome without detail is returned as it is.
 */
export function hideCredentials(
  { type, config }: { type: string; config: unknown },
  outcome: ProbeOutcome,
): ProbeOutcome {
  if (outcome.kind !== "result" || !outcome.detail) return outcome;
  const masker = maskerOf(type, config as Record<string, unknown>);
  const detail = mapTexts(outcome.detail, masker.hideAll, masker.hideValues) as ResultDetail;
  return { ...outcome, detail };
}

function maskerOf(type: string, config: Record<string, unknown>): CredentialMasker {
  let masker = maskers.get(config);
  if (!masker) {
    masker = credentialMasker(type, config, LENGTH_MIN);
    maskers.set(config, masker);
  }
  return masker;
}

type Rewrite = (text: string) => string;

/** @param ofBody rewrites texts under the name `body` */
function mapTexts(value: unknown, rewrite: Rewrite, ofBody: Rewrite): unknown {
  if (typeof value === "string") return rewrite(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, rewrite, ofBody));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      mapTexts(item, name === "body" ? ofBody : rewrite, ofBody),
    ]),
  );
}
