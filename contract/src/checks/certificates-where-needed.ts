/** The rule of check types that request URLs: certificates of one's own are refused where no run can meet TLS. */
import type * as z from "zod";
import { certificateFields } from "./host-fields.ts";

/** The part of a request that says whether it may come to speak TLS. */
interface MaybeSecure {
  url: string;
  followRedirects: boolean;
}

/** True when neither the URL of a request nor a redirect can lead to TLS. */
export function isNeverSecure({ url, followRedirects }: MaybeSecure): boolean {
  return /^http:/i.test(url) && !followRedirects;
}

/**
 * Adds an issue for each certificate or key of a configuration that none of its requests can use; for `superRefine`.
 * @param requests all requests of the configuration
 */
export function certificatesWhereNeeded(
  config: Readonly<Partial<Record<keyof typeof certificateFields, string | undefined>>>,
  requests: readonly MaybeSecure[],
  context: z.RefinementCtx,
): void {
  if (!requests.every(isNeverSecure)) return;
  for (const field of Object.keys(certificateFields) as (keyof typeof certificateFields)[])
    if (config[field] !== undefined)
      context.addIssue({
        code: "custom",
        path: [field],
        message: "does nothing: no request is one of https://, and no redirect is followed",
      });
}
