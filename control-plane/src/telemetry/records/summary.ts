/** A line for people of what was put down with its attributes. Pure. */
import type { TelemetryEventName } from "@svc/contract";
import type { EventAttributes } from "../derived-event-store.ts";
import { ATTR } from "./attributes.ts";

const INCIDENT = /^synthetics\.incident\./;

const LINES: Partial<Record<TelemetryEventName, (of: EventAttributes) => string>> = {
  "synthetics.deployment.created": (of) => {
    const environment = of["synthetics.deployment.environment"];
    const where = environment ? ` to ${environment}` : "";
    return `${of["synthetics.deployment.service"]} ${of["synthetics.deployment.version"]} was deployed${where}`;
  },
  "synthetics.slo.budget.warning": (of) => {
    const rate = Math.round(Number(of["synthetics.slo.burn_rate.long"]) * 10) / 10;
    const hours = Number(of["synthetics.slo.burn_rate.long_window_minutes"]) / 60;
    return `${of["synthetics.slo.name"]}: burn rate ${rate} over ${hours} h, above ${of["synthetics.slo.burn_rate.threshold"]}`;
  },
  "synthetics.tls.certificate_observed": (of) =>
    `${of[ATTR.serverAddress]}: certificate valid until ${of[ATTR.tlsNotAfter]}`,
  "synthetics.tls.certificate_changed": (of) =>
    `${of[ATTR.serverAddress]}: another certificate, valid until ${of[ATTR.tlsNotAfter]}`,
  "synthetics.tls.expiring_soon": (of) =>
    Number(of[ATTR.tlsDaysLeft]) < 0
      ? `${of[ATTR.serverAddress]}: certificate expired at ${of[ATTR.tlsNotAfter]}`
      : `${of[ATTR.serverAddress]}: certificate expires in ${of[ATTR.tlsDaysLeft]} days`,
  "synthetics.correlation.detected": (of) =>
    `${of[ATTR.correlationCheckCount]} browser checks fail on ${of[ATTR.correlationDependency]}`,
};

/** @returns undefined for an event that says nothing of itself */
export function summaryOf(name: TelemetryEventName, attributes: EventAttributes): string | undefined {
  if (INCIDENT.test(name))
    return `${attributes["synthetics.incident.title"]}: ${name.replace(INCIDENT, "").replaceAll("_", " ")}`;
  return LINES[name]?.(attributes);
}
