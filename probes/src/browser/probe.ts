/** The probe of browser checks. A host carries them out, and only a runner with a browser has that. */
import type { Probe } from "../run/probe.ts";

/** Hands the run to the runner's browser host. Without one the run is a fault `unsupported`. */
export const browserProbe = {
  type: "browser",
  needsHost: true,
  async run(request, context) {
    const host = context.hosts?.[request.type];
    if (host) return host.run(request, context);
    return { kind: "fault", reason: "unsupported", message: "this runner has no browser" };
  },
} as const satisfies Probe;
