/** Agents that speak the real protocol, for tests of the control plane. */
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  type Assignment,
  type Check,
  HeartbeatSchema,
  HelloSchema,
  RunnerService,
  type SessionRequest,
  SessionRequestSchema,
  type SessionResponse,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { PushQueue } from "../src/gateway/push-queue.ts";

type MessageCase = NonNullable<SessionResponse["message"]["case"]>;
type MessageValue<Case extends MessageCase> = Extract<SessionResponse["message"], { case: Case }>["value"];

export interface TestAgent {
  runnerUuid: string;
  processUuid: string;
  /** Everything received, in order. */
  received: SessionResponse[];
  /** Resolves when the stream has ended: undefined, or the error that it ended with. */
  ended: Promise<unknown>;
  send(message: SessionRequest["message"]): void;
  heartbeat(overrides?: { accepting?: boolean; draining?: boolean; backlogResults?: bigint }): void;
  /** Resolves with the first message, past or future, that is of the case and passes the filter. */
  next<Case extends MessageCase>(
    wanted: Case,
    filter?: (value: MessageValue<Case>) => boolean,
  ): Promise<MessageValue<Case>>;
  /** Returns the state that the messages so far add up to. */
  assignments(): Map<string, Assignment>;
  checks(): Map<bigint, Check>;
  /** Cuts the connection without a goodbye. */
  kill(): void;
  /** Says goodbye and waits for the end. */
  leave(): Promise<void>;
}

export interface AgentOptions {
  runnerUuid?: string;
  processUuid?: string;
  capabilities?: string[];
  capacityPerSecond?: number;
  locationIds?: string[];
  protocolVersion?: number;
  /** X25519, 32 bytes; absent: an agent of a version without secrets. */
  secretsPublicKey?: Uint8Array;
}

/** An agent's side of the protocol, over a connection of its own. */
export function connectAgent(url: string, secret: string, options: AgentOptions = {}): TestAgent {
  const abort = new AbortController();
  const client = createClient(RunnerService, createGrpcTransport({ baseUrl: url }));
  const outgoing = new PushQueue<SessionRequest>();
  const received: SessionResponse[] = [];
  const waiters = new Set<() => void>();
  const runnerUuid = options.runnerUuid ?? randomUUID();
  const processUuid = options.processUuid ?? randomUUID();
  const send = (message: SessionRequest["message"]) =>
    outgoing.push(create(SessionRequestSchema, { message }));
  send({
    case: "hello",
    value: create(HelloSchema, {
      protocolVersion: options.protocolVersion ?? 1,
      runnerUuid,
      processUuid,
      agentVersion: "test",
      hostname: "host",
      capabilities: options.capabilities ?? ["http"],
      capacityPerSecond: options.capacityPerSecond ?? 100,
      locationIds: options.locationIds ?? [],
      agentSentAtMs: BigInt(Date.now()),
      secretsPublicKey: options.secretsPublicKey ?? new Uint8Array(),
    }),
  });
  const stream = client.session(outgoing, {
    signal: abort.signal,
    headers: { authorization: `Bearer ${secret}` },
  });
  let failure: unknown;
  const ended = (async () => {
    try {
      for await (const response of stream) {
        received.push(response);
        for (const wake of [...waiters]) wake();
      }
    } catch (error) {
      failure = error;
    }
    outgoing.end();
    for (const wake of [...waiters]) wake();
    return failure;
  })();
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  const agent: TestAgent = {
    runnerUuid,
    processUuid,
    received,
    ended,
    send,
    heartbeat: (overrides = {}) =>
      send({
        case: "heartbeat",
        value: create(HeartbeatSchema, { agentSentAtMs: BigInt(Date.now()), accepting: true, ...overrides }),
      }),
    next: async <Case extends MessageCase>(
      wanted: Case,
      filter: (value: MessageValue<Case>) => boolean = () => true,
    ) => {
      for (;;) {
        for (const { message } of received)
          if (message.case === wanted && filter(message.value as MessageValue<Case>))
            return message.value as MessageValue<Case>;
        if (isEnded || failure) throw new Error(`the stream ended before ${wanted}`, { cause: failure });
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiters.delete(wake);
            resolve();
          };
          waiters.add(wake);
        });
      }
    },
    assignments: () => currentAssignments(received),
    checks: () => currentChecks(received),
    kill: () => abort.abort(),
    leave: async () => {
      send({ case: "goodbye", value: { $typeName: "svc.runner.v1.Goodbye" } });
      await ended;
    },
  };
  return agent;
}

function currentAssignments(received: readonly SessionResponse[]): Map<string, Assignment> {
  const current = new Map<string, Assignment>();
  const id = (pair: { checkKey: bigint; locationKey: number }) => `${pair.checkKey}:${pair.locationKey}`;
  for (const { message } of received) {
    if (message.case !== "snapshot" && message.case !== "delta") continue;
    for (const assignment of message.value.assignments) current.set(id(assignment), assignment);
    if (message.case === "delta") for (const gone of message.value.unassignments) current.delete(id(gone));
  }
  return current;
}

function currentChecks(received: readonly SessionResponse[]): Map<bigint, Check> {
  const current = new Map<bigint, Check>();
  for (const { message } of received)
    if (message.case === "snapshot" || message.case === "delta")
      for (const check of message.value.checks) current.set(check.checkKey, check);
  return current;
}
