/** Attempts to deliver a request, over any of the protocols. */
import type { Egress } from "@svc/egress";
import type { OtlpRequest } from "./endpoint.ts";
import { noAnswer, type SendOutcome } from "./outcome.ts";
import { sendGrpc } from "./send-grpc.ts";
import { sendHttp } from "./send-http.ts";

/** Time limit of an attempt: the default of OpenTelemetry's exporters. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

/** Surroundings of one attempt. */
export interface SendOptions {
  /** Default: {@link ATTEMPT_TIMEOUT_MS}. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Wall clock, Unix ms: an endpoint may name an instant to retry at. */
  nowMs: () => number;
}

/**
 * Attempts to deliver one request. Failures of the endpoint or of the connection are an outcome, not an error.
 * @throws the signal's reason when it aborts
 */
export async function send(
  egress: Egress,
  request: OtlpRequest,
  { timeoutMs = ATTEMPT_TIMEOUT_MS, signal, nowMs }: SendOptions,
): Promise<SendOutcome> {
  const sendBy = request.endpoint.protocol === "grpc" ? sendGrpc : sendHttp;
  try {
    return await sendBy(egress, request, { timeoutMs, nowMs, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    return noAnswer(error);
  }
}
