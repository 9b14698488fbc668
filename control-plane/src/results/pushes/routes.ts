/** The routes by which jobs report. Cookies and API keys mean nothing to them. */
import { DomainError, PUSH_LIMITS, pushRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { serve } from "../../platform/http/serve.ts";
import { TokenBuckets } from "../../platform/token-buckets.ts";
import type { PushParts } from "./deliver-outcomes.ts";
import type { Report } from "./judge-report.ts";
import { reportPush } from "./report.ts";

/** Registers the routes of reports. A HEAD request finds none of them, so that it stores nothing. */
export function registerPushRoutes(app: ApiApp, parts: PushParts): void {
  const { burst, perMinute } = PUSH_LIMITS;
  const buckets = new TokenBuckets({ burst, perSecond: perMinute / 60 });
  const assertMayReport = (key: string) => {
    if (!buckets.trySpend(key))
      throw new DomainError(
        "rate_limited",
        `Rate limit exceeded: ${burst} reports at once and ${perMinute} a minute to one URL`,
        { retryAfterSeconds: Math.ceil(60 / perMinute) },
      );
  };
  const store = async (token: string, report: Report) => {
    await reportPush(parts, { token, report, assertMayReport });
    return { ok: true as const };
  };
  void app.register(async (scope) => {
    // Whatever a job sends along is let go by, in any form and length.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, done) => {
      body.resume();
      done(null, undefined);
    });
    const api = scope as ApiApp;
    for (const route of [pushRoutes.report, pushRoutes.reportByGet])
      serve(api, route, {
        exposeHeadRoute: false,
        handler: ({ params }) => store(params.token, { kind: "end", exitCode: 0 }),
      });
    for (const route of [pushRoutes.signal, pushRoutes.signalByGet])
      serve(api, route, {
        exposeHeadRoute: false,
        handler: ({ params: { token, signal } }) =>
          store(token, signal === "start" ? { kind: "start" } : { kind: "end", exitCode: Number(signal) }),
      });
  });
}
