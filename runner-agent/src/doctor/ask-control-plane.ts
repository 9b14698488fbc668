/** Asks the control plane something that changes nothing there, to learn whether it answers, takes the key, and what time it has. */
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Config } from "../base/config.ts";
import type { Machine } from "../base/machine.ts";
import { setTimer } from "../base/timer.ts";
import { Connection } from "../network/connection.ts";

const ANSWER_WITHIN_MS = 10_000;
/** An id that no API spec has. */
const NO_SPEC = "spec_00000000000000000000000000";

/** How the control plane refused the question: `NotFound` is the good answer. */
export interface ControlPlaneAnswer {
  error: ConnectError;
  /** How far its clock is ahead of this machine's, ms, to about a second; undefined: its answer has no time. */
  clockOffsetMs: number | undefined;
}

/** Asks for the document of an API spec that does not exist. */
export async function askControlPlane(
  { controlPlaneUrl, runnerKey, ca }: Pick<Config, "controlPlaneUrl" | "runnerKey" | "ca">,
  { wallMs }: Pick<Machine, "wallMs">,
): Promise<ControlPlaneAnswer> {
  const connection = new Connection({ url: controlPlaneUrl, ca, setTimer });
  const beforeMs = wallMs();
  try {
    const transport = createGrpcTransport({ baseUrl: controlPlaneUrl, sessionManager: connection });
    const answer = createClient(RunnerService, transport).getApiSpec(
      { specId: NO_SPEC, contentSha256: "" },
      { headers: { authorization: `Bearer ${runnerKey}` }, timeoutMs: ANSWER_WITHIN_MS },
    );
    for await (const _part of answer) break;
    throw new Error("it sent a document that does not exist; is another program at this address?");
  } catch (cause) {
    const error = connection.failure ?? ConnectError.from(cause);
    const date = Date.parse(error.metadata.get("date") ?? "");
    // The header tells the second that had begun.
    const clockOffsetMs = Number.isNaN(date) ? undefined : date + 500 - (beforeMs + wallMs()) / 2;
    return { error, clockOffsetMs };
  } finally {
    connection.close();
  }
}
