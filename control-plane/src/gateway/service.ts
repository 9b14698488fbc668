/** Serves svc.runner.v1.RunnerService: turns streams into sessions. A stream that misbehaves ends without harm to others. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import {
  type GetApiSpecRequest,
  type GetApiSpecResponse,
  type PutArtifactRequest,
  type PutArtifactResponse,
  PutArtifactResponseSchema,
  RunnerService,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { deliverSpec } from "../checks/api-specs/deliver-spec.ts";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { Services } from "../platform/services.ts";
import { blobStoreOf } from "../results/artifacts/choose-blob-store.ts";
import { type ReceiveParts, receiveArtifact } from "../results/artifacts/receive-artifact.ts";
import { UploadBudget } from "../results/artifacts/upload-budget.ts";
import type { Fleet } from "./fleet.ts";
import type { MessageBounds } from "./request-messages.ts";
import { toConnectError } from "./rpc-errors.ts";
import { senderOf } from "./sender.ts";
import { runnerKeyOf, serveSession } from "./serve-session.ts";
import { SideStreams } from "./side-streams.ts";
import { PUT_ARTIFACT_REQUEST, SESSION_REQUEST } from "./wire-values.ts";

/** Time for a document to be sent, its wait for a place included; agents wait no longer. */
const SPEC_TIMEOUT_MS = 30_000;

const KIB = 1024;

/**
 * Bounds of the messages that agents send, by path. A batch has at most 1 MiB and one result's evidence; a part of an
 * artifact has at most 1 MiB; a request for a spec is two short strings.
 */
export const RUNNER_MESSAGE_BOUNDS: ReadonlyMap<string, MessageBounds> = new Map([
  [`/${RunnerService.typeName}/Session`, { bytesMax: 4 * KIB * KIB, layout: SESSION_REQUEST }],
  [`/${RunnerService.typeName}/PutArtifact`, { bytesMax: KIB * KIB + KIB, layout: PUT_ARTIFACT_REQUEST }],
  [`/${RunnerService.typeName}/GetApiSpec`, { bytesMax: KIB, layout: {}, durationMaxMs: SPEC_TIMEOUT_MS }],
]);

/** Returns the routes of the RunnerService. They find the request's runner key in its context. */
export function runnerRoutes(services: Services, state: FleetState, fleet: Fleet) {
  const receiving: ReceiveParts = {
    services,
    blobs: blobStoreOf(services),
    budget: new UploadBudget(),
    state,
    refreshFleet: () => fleet.refresh(),
  };
  const sideStreams = new SideStreams();
  return (router: ConnectRouter): void => {
    router.service(RunnerService, {
      session: (requests, context) => serveSession({ services, fleet }, requests, context),
      getApiSpec: (request, context) => runDelivery({ services, state, sideStreams }, request, context),
      putArtifact: (requests, context) => runUpload({ receiving, sideStreams }, requests, context),
    });
  };
}

async function* runDelivery(
  { services, state, sideStreams }: { services: Services; state: FleetState; sideStreams: SideStreams },
  request: GetApiSpecRequest,
  context: HandlerContext,
): AsyncGenerator<GetApiSpecResponse> {
  let end: (() => void) | undefined;
  let releaseSending: (() => void) | undefined;
  try {
    const key = runnerKeyOf(context);
    const sender = senderOf(state, key);
    end = sideStreams.begin(sender);
    releaseSending = await sideStreams.awaitSending(sender, context.signal);
    if (!context.signal.aborted) yield* deliverSpec(services, request, key);
  } catch (error) {
    throw toConnectError(error, services.log);
  } finally {
    releaseSending?.();
    end?.();
  }
}

async function runUpload(
  { receiving, sideStreams }: { receiving: ReceiveParts; sideStreams: SideStreams },
  requests: AsyncIterable<PutArtifactRequest>,
  context: HandlerContext,
): Promise<PutArtifactResponse> {
  let end: (() => void) | undefined;
  try {
    const key = runnerKeyOf(context);
    end = sideStreams.begin(senderOf(receiving.state, key));
    await receiveArtifact(receiving, requests, key);
    return create(PutArtifactResponseSchema);
  } catch (error) {
    if (context.signal.aborted) throw new ConnectError("the agent has gone", Code.Canceled);
    throw toConnectError(error, receiving.services.log);
  } finally {
    end?.();
  }
}
