/** The shape of an agent-readiness probe: it looks for one thing that AI agents use on a site. */
import type { ReadinessProbeId } from "@svc/contract";
import type { Site } from "./site.ts";

/** The finding of one probe about a site, before it is listed in the report. */
export interface ReadinessResult {
  /** pass; fail: served but not usable; missing: not served; skipped: does not apply to this run. */
  status: "pass" | "fail" | "missing" | "skipped";
  /** One line. */
  summary: string;
  details?: string[];
}

/** A member of the family of readiness probes. */
export interface ReadinessProbe<Type extends ReadinessProbeId = ReadinessProbeId> {
  /** The id in reports and in `agentReadiness.require`. */
  readonly type: Type;
  look(site: Site): Promise<ReadinessResult>;
}

/** Defines a readiness probe. The contract lists it in readiness-probes.ts. */
export function defineReadinessProbe<Type extends ReadinessProbeId>(
  type: Type,
  look: ReadinessProbe["look"],
): ReadinessProbe<Type> {
  return { type, look };
}
