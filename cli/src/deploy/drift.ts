/** Whether someone else changed a resource since the last deploy. Pure. */
import type { DeployedKind, DeployedResource } from "@svc/contract";
import type { Secrets } from "../output/secrets.ts";
import type { Fields } from "./compared-fields.ts";
import { canonicalJson, fingerprint } from "./fingerprint.ts";

/**
 * Of a resource whose two sides differ. Nothing is known of one that was never deployed from here: the config wins.
 * @param deployed as the last deploy left it
 * @returns drift: only the service's side changed; conflict: both did; undefined: only the config did
 */
export function driftOf(
  deployed: DeployedResource | undefined,
  now: {
    kind: DeployedKind;
    /** When the service says it last changed. */
    updatedAt: string;
    /** Of a check whose labels the config manages; a change of labels does not count as one of the check. */
    labels: readonly string[] | undefined;
    /** What the config asks for. */
    after: Fields;
    secrets: Secrets;
  },
): "drift" | "conflict" | undefined {
  if (!deployed) return undefined;
  const haveLabelsChanged =
    now.labels !== undefined &&
    deployed.labels !== undefined &&
    canonicalJson(now.labels) !== canonicalJson(deployed.labels);
  if (deployed.updatedAt === now.updatedAt && !haveLabelsChanged) return undefined;
  return fingerprint(now.kind, now.after, now.secrets) === deployed.hash ? "drift" : "conflict";
}
