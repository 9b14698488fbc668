/** The probe of a check type whose run is one connection to a host and a port. */
import type { Assertion, CheckConfigOf, CheckType, ResultDetail } from "@svc/contract";
import { type ConnectionFields, connectionSettingsOf } from "../run/connection-settings.ts";
import type { Probe, ProbeContext } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { runMeasured, targetUrl } from "./measured-run.ts";

/** The fields that every configuration of such a type has. */
interface PortConfig extends ConnectionFields {
  host: string;
  port: number;
  timeoutMs: number;
  assertions: readonly Assertion[];
}

/** The names of the check types whose configurations have these fields. */
type PortCheckType = {
  [Type in CheckType]: CheckConfigOf<Type> extends PortConfig ? Type : never;
}[CheckType];

/** One attempt: its scope, and the evidence that it collects. */
export interface PortAttempt {
  scope: RunScope;
  detail: Partial<ResultDetail>;
  context: ProbeContext;
}

/** By configuration, which an agent keeps as long as the check is as it is. */
const targets = new WeakMap<object, URL>();

function targetOf(type: PortCheckType, config: PortConfig): URL {
  let url = targets.get(config);
  if (!url) {
    url = targetUrl(type, config.host, config.port);
    targets.set(config, url);
  }
  return url;
}

/**
 * Returns the probe of a check type.
 * @param measure measures once; see {@link runMeasured}
 */
export function portProbe<const Type extends PortCheckType>(
  type: Type,
  measure: (config: CheckConfigOf<Type>, attempt: PortAttempt) => Promise<number | undefined>,
) {
  return {
    type,
    needsHost: false,
    run(request, context) {
      const config = request.config as CheckConfigOf<Type> & PortConfig;
      const { timeoutMs, assertions } = config;
      return runMeasured(request, context, {
        url: targetOf(type, config),
        timeoutMs,
        assertions,
        connection: connectionSettingsOf(config, []),
        measure: (scope, detail) => measure(config, { scope, detail, context }),
      });
    },
  } as const satisfies Probe;
}
