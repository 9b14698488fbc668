import type { Probe } from "../run/probe.ts";

/** The probe of browser checks: all of it is the host's, which not every runner has. */
export const browserProbe: Probe = {
  type: "browser",
  async run(request, context) {
    if (context.browser) return context.browser.run(request, context);
    return { kind: "fault", reason: "unsupported", message: "this runner has no browser" };
  },
};
