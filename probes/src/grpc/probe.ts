/** The probe of gRPC checks: asks a server for the health of one of its services, by grpc.health.v1. */
import type { CheckConfigOf, ResultDetail } from "@svc/contract";
import { textPreview } from "../base/storable-text.ts";
import { openPort } from "../connection/own-tls.ts";
import { type PortAttempt, portProbe } from "../measured-run/port-probe.ts";
import { TargetFailure } from "../run/failures.ts";
import { CHECK_PATH, healthRequest, servingStatusIn } from "./health-messages.ts";
import { failureOfStatus, grpcStatusName } from "./statuses.ts";
import { callUnary, type UnaryAnswer } from "./unary-call.ts";

/** Carries out one run of a gRPC check. */
export const grpcProbe = portProbe("grpc", ask);

async function ask(
  config: CheckConfigOf<"grpc">,
  { scope, detail, context: { userAgent } }: PortAttempt,
): Promise<undefined> {
  const { service, tls, metadata = {}, timeoutMs } = config;
  const socket = await openPort(config, scope, "h2");
  const remainingMs = Math.max(1, timeoutMs - Math.floor(scope.clock.elapsedUs() / 1000));
  const own = Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]);
  const call = {
    isSecure: tls,
    path: CHECK_PATH,
    authority: scope.url.host,
    headers: { "user-agent": userAgent, "grpc-timeout": `${remainingMs}m`, ...Object.fromEntries(own) },
    message: healthRequest(service),
  };
  const answer: UnaryAnswer = {};
  try {
    await callUnary(socket, { call, answer }, scope);
    judge(answer, { host: scope.url.host, service, detail });
  } finally {
    const { httpStatusCode, grpcStatus, grpcMessage } = answer;
    detail.grpcJson = {
      ...detail.grpcJson,
      ...(httpStatusCode === undefined ? {} : { httpStatusCode }),
      ...(grpcStatus === undefined ? {} : { grpcStatus: grpcStatusName(grpcStatus) }),
      // Servers send words with an OK, too.
      ...(grpcStatus === 0 || !grpcMessage ? {} : { grpcMessage }),
    };
  }
}

/** Throws unless the server says that it serves. */
function judge(
  { grpcStatus, grpcMessage, message }: UnaryAnswer,
  { host, service, detail }: { host: string; service: string; detail: Partial<ResultDetail> },
): void {
  const subject = service === "" ? "the server" : `the service "${textPreview(service)}"`;
  if (grpcStatus !== 0) throw failureOfStatus(grpcStatus ?? 2, { host, subject, words: grpcMessage });
  let servingStatus: string;
  try {
    servingStatus = servingStatusIn(message ?? new Uint8Array());
  } catch (error) {
    throw new TargetFailure(
      { status: "error", category: "protocol", message: `${host} answered with a message that is no health` },
      { cause: error },
    );
  }
  detail.grpcJson = { servingStatus };
  if (servingStatus !== "SERVING")
    throw new TargetFailure({
      status: "failure",
      category: "assertion",
      message: `${host} says that ${subject} is ${servingStatus}`,
    });
}
