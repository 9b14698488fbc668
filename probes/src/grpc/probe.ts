/** The probe of gRPC checks: asks a server for the health of one of its services, by grpc.health.v1. */
import type net from "node:net";
import type { CheckConfigOf, ResultDetail } from "@svc/contract";
import { textPreview } from "../base/storable-text.ts";
import { openSocket } from "../connection/dial.ts";
import { wishesOf } from "../connection/own-tls.ts";
import { openTrusted } from "../connection/secure.ts";
import { runMeasured, targetUrl } from "../measured-run/measured-run.ts";
import { TargetFailure } from "../run/failures.ts";
import type { Probe } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { CHECK_PATH, healthRequest, servingStatusIn } from "./health-messages.ts";
import { failureOfStatus, grpcStatusName } from "./statuses.ts";
import { callUnary, type UnaryAnswer } from "./unary-call.ts";

type GrpcConfig = CheckConfigOf<"grpc">;

/** Carries out one run of a gRPC check. */
export const grpcProbe = {
  type: "grpc",
  needsHost: false,
  run(request, context) {
    const config = request.config as GrpcConfig;
    const { host, port, timeoutMs, assertions } = config;
    return runMeasured(request, context, {
      url: targetUrl("grpc", host, port),
      timeoutMs,
      assertions,
      measure: (scope, detail) => ask(config, { scope, detail, userAgent: context.userAgent }),
    });
  },
} as const satisfies Probe;

async function ask(
  config: GrpcConfig,
  { scope, detail, userAgent }: { scope: RunScope; detail: Partial<ResultDetail>; userAgent: string },
): Promise<undefined> {
  const { service, tls, metadata = {}, timeoutMs } = config;
  const socket = await open(config, scope);
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

async function open(config: GrpcConfig, scope: RunScope): Promise<net.Socket> {
  if (!config.tls) return openSocket(scope.url, scope);
  return (await openTrusted(scope.url, wishesOf(config, scope, "h2"), scope)).socket;
}
