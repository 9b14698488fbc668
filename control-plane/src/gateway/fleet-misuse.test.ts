import { randomUUID } from "node:crypto";
import http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { HelloSchema, SessionRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { describe, expect, test } from "vitest";
import { aRunnerKey } from "../../test-support/fleet.ts";
import { useReplicaPair } from "../../test-support/replica-pair.ts";
import { type AgentOptions, connectAgent } from "../../test-support/test-agent.ts";

const fleets = useReplicaPair();
const { anAgent } = fleets;

describe("misuse by an agent", () => {
  const refused = async (secret: string, options: AgentOptions = {}) =>
    ConnectError.from(await connectAgent(fleets.replicas[0].url, secret, options).ended);

  test.each([
    ["an unknown runner key", () => `rk_${"0".repeat(64)}`, Code.Unauthenticated, /unknown runner key/],
    ["an API key", () => `sk_${"0".repeat(64)}`, Code.Unauthenticated, /API key/],
    ["nonsense", () => "rk_1", Code.Unauthenticated, /not a runner key/],
  ])("%s is refused with what is wrong", async (_name, secret, code, text) => {
    const error = await refused(secret());
    expect(error.code).toBe(code);
    expect(error.rawMessage).toMatch(text);
  });

  test("an agent of another protocol version is refused with both versions", async () => {
    const error = await refused(fleets.team.runnerSecret, { protocolVersion: 7 });
    expect(error.code).toBe(Code.FailedPrecondition);
    expect(error.rawMessage).toMatch(/version 7.*version 1/);
  });

  test("a hosted agent that asks for a location that is not hosted is refused with its id", async () => {
    const { runnerSecret } = await aRunnerKey(fleets.database.knex, null);
    const error = await refused(runnerSecret, { locationIds: [fleets.team.locationId] });
    expect(error.code).toBe(Code.InvalidArgument);
    expect(error.rawMessage).toContain(fleets.team.locationId);
  });

  test("a second Hello ends its stream and no other", async () => {
    const a = await anAgent(0);
    const bad = await anAgent(0);
    bad.send({ case: "hello", value: create(HelloSchema, { protocolVersion: 1 }) });
    expect(ConnectError.from(await bad.ended).code).toBe(Code.InvalidArgument);
    a.heartbeat();
    await a.next("heartbeatReply");
  });

  test.each([
    ["before Hello", false],
    ["after Hello", true],
  ])("a stream that sends garbage %s ends with INVALID_ARGUMENT, and no other", async (_name, withHello) => {
    const a = await anAgent(0);
    const hello = toBinary(
      SessionRequestSchema,
      create(SessionRequestSchema, {
        message: {
          case: "hello",
          value: create(HelloSchema, {
            protocolVersion: 1,
            runnerUuid: randomUUID(),
            processUuid: randomUUID(),
          }),
        },
      }),
    );
    const garbage = new Uint8Array(64).fill(0xff);
    expect(await grpcStatusAfter(fleets.replicas[0].url, withHello ? [hello, garbage] : [garbage])).toBe(
      Code.InvalidArgument,
    );
    a.heartbeat();
    await a.next("heartbeatReply");
  });
});

/** Sends these message bodies over plain HTTP/2. @returns the grpc-status that the stream ends with */
async function grpcStatusAfter(url: string, bodies: readonly Uint8Array[]): Promise<number> {
  const connection = http2.connect(url);
  const stream = connection.request({
    ":method": "POST",
    ":path": "/svc.runner.v1.RunnerService/Session",
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${fleets.team.runnerSecret}`,
  });
  for (const body of bodies) {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(body.length, 1);
    stream.write(Buffer.concat([prefix, body]));
  }
  stream.resume();
  const status = new Promise<number>((resolve) => {
    const read = (headers: http2.IncomingHttpHeaders) => {
      if (headers["grpc-status"] !== undefined) resolve(Number(headers["grpc-status"]));
    };
    stream.on("trailers", read);
    stream.on("response", read);
  });
  try {
    return await status;
  } finally {
    connection.destroy();
  }
}
