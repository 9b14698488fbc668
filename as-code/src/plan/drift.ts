/** Decides whether someone else changed a resource since the last deploy. Pure. */

import type { DeployedKind, DeployedResource } from "@svc/contract";
import { canonicalJson } from "../canonical-json.ts";
import type { Fields } from "./compared-fields.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Drift } from "./planned-change.ts";
import type { Secrets } from "./secrets.ts";

/**
 * Decides for a resource whose two sides differ. A resource that was never deployed from here has no drift: the config wins.
 * @param deployed the resource after the last deploy
 * @returns drift: only the service's side changed; conflict: both did; undefined: only the config did
 */
export function driftOf(
  deployed: DeployedResource | undefined,
  now: {
    kind: DeployedKind;
    /** Instant of the resource's last change, as the service reports it. */
    updatedAt: string;
    /**
     * Present for a check whose labels the config manages; the service doesn't count a change of labels as one of the
     * check.
     */
    labels: readonly string[] | undefined;
    /** The fields that the config asks for. */
    after: Fields;
    secrets: Secrets;
  },
): Drift | undefined {
  if (!deployed) return undefined;
  const haveLabelsChanged =
    now.labels !== undefined &&
    deployed.labels !== undefined &&
    canonicalJson(now.labels) !== canonicalJson(deployed.labels);
  if (deployed.updatedAt === now.updatedAt && !haveLabelsChanged) return undefined;
  return fingerprint(now.kind, now.after, now.secrets) === deployed.hash ? "drift" : "conflict";
}
