import { DomainError, type TelemetryTest } from "@svc/contract";
import { monotonicMs } from "../platform/clock.ts";
import type { TeamContext } from "../platform/team-context.ts";
import type { TeamEgress } from "../platform/team-egress.ts";
import type { OtlpRequest } from "./export/endpoint.ts";
import type { SendOutcome } from "./export/outcome.ts";
import { send } from "./export/send.ts";
import { ATTR, SERVICE_NAME } from "./records/attributes.ts";
import { logRecord, resourceOf, TEST_EVENT_NAME } from "./records/otlp.ts";
import { openEndpoint, openHeaders } from "./settings.ts";
import { claimTestTurn, findSettings } from "./settings-store.ts";

/** A team can send one test in this time. */
const TEST_INTERVAL_MS = 10_000;

/**
 * Sends one test record to the team's endpoint and returns its answer.
 * @throws DomainError `conflict`: no endpoint is set
 * @throws DomainError `rate_limited`, with the seconds to wait
 */
export async function sendTest(
  { services, teamId }: TeamContext,
  { egressOf }: { egressOf: TeamEgress },
): Promise<TelemetryTest> {
  const { knex, secrets, clock } = services;
  const settings = await findSettings(knex, teamId);
  if (!settings?.endpoint)
    throw new DomainError("conflict", "No endpoint is set; set one with PUT /api/telemetry");
  const nowMs = clock.nowMs();
  const waitMs = await claimTestTurn(knex, teamId, { nowMs, intervalMs: TEST_INTERVAL_MS });
  if (waitMs !== undefined) {
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    throw new DomainError("rate_limited", `Tested just now; try again in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
  }
  const { endpoint, endpointSealed, protocol, headers, caCertificate } = settings;
  const url = openEndpoint(secrets, teamId, { endpoint, endpointSealed });
  const record = logRecord({
    eventName: TEST_EVENT_NAME,
    severity: "info",
    resource: resourceOf({ [ATTR.serviceName]: SERVICE_NAME }),
    attributes: {},
    body: "This is a test of the telemetry settings.",
    atMs: nowMs,
    observedAtMs: nowMs,
  });
  const startedAtMs = monotonicMs();
  const request: OtlpRequest = {
    endpoint: { url, protocol, headers: openHeaders(secrets, teamId, headers), caCertificate },
    payload: { signal: "logs", records: [record] },
  };
  const outcome = await send(egressOf(teamId), request, { nowMs: () => clock.nowMs() });
  return { ...testResultOf(outcome), durationMs: Math.round(monotonicMs() - startedAtMs) };
}

function testResultOf(outcome: SendOutcome): Omit<TelemetryTest, "durationMs"> {
  const { httpStatus, grpcStatus } = outcome;
  const answer = { httpStatus, grpcStatus };
  if (outcome.kind !== "delivered") return { ok: false, message: outcome.message, ...answer };
  const { partialSuccess, warning } = outcome;
  if (partialSuccess && partialSuccess.rejectedRecords > 0)
    return { ok: false, message: `the endpoint rejected the record: ${partialSuccess.message}`, ...answer };
  const remark = partialSuccess?.message || warning;
  return {
    ok: true,
    message: remark ? `the endpoint took the record; ${remark}` : "the endpoint took the record",
    ...answer,
  };
}
