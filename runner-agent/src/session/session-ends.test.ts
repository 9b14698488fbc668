import { type AddressInfo, createServer } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import type { SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentStream, answerPolitely, FakeControlPlane } from "../../test-support/fake-control-plane.ts";
import { aControlPlane, aProxy, aSession, KEY, slotsOf } from "../../test-support/session-test.ts";
import { until } from "../../test-support/until.ts";

describe("when the session ends", () => {
  it("by a broken connection, it is begun again at once", async () => {
    const plane = await aControlPlane();
    const { session, observed } = aSession(plane.url);
    session.start();
    for (let round = 1; round <= 3; round++) {
      await until(() => observed.welcomes === round, `welcome ${round}`);
      plane.cut();
    }
    await until(() => observed.welcomes === 4, "the fourth welcome");
    expect(observed.ends.every(({ kind }) => kind === "lost")).toBe(true);
  });

  it("by a restart of the control plane, it goes on when that is back", async () => {
    const plane = await FakeControlPlane.start();
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    const { port } = plane;
    await plane.stop();
    await until(() => observed.ends.length >= 3, "a few vain attempts");
    expect(observed.ends.at(-1)?.line).toMatch(/no session with the control plane at http:.*ECONNREFUSED/);
    await aControlPlane({ port });
    await until(() => observed.welcomes === 2, "the second welcome");
  });

  it("by Drain, what is on its way is waited for, and nothing is sent twice", async () => {
    const plane = await aControlPlane();
    const { session, observed, results, append } = aSession(plane.url);
    session.start();
    append(2);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.stream.send({ case: "drain", value: { reason: "restart" } });
    plane.stream.send({ case: "ack", value: { seq: 1n } });
    await until(() => observed.welcomes === 2, "the next session");
    expect(observed.ends).toMatchObject([{ kind: "drained" }]);
    expect(results.size).toBe(0);
    expect(slotsOf(plane.stream)).toEqual([]);
  });

  it("by Drain without acknowledgements, it moves all the same and sends again", async () => {
    const plane = await aControlPlane();
    const { session, observed, append } = aSession(plane.url);
    session.start();
    append(2);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.stream.send({ case: "drain", value: {} });
    await until(() => plane.streams[1]?.messages("resultBatch").length === 1, "the batch again");
    expect(observed.ends).toMatchObject([{ kind: "drained" }]);
  });

  it("by a refused key, says so and whether it ever worked", async () => {
    let isRevoked = true;
    const plane = await aControlPlane({
      onOpen: () => {
        if (isRevoked) throw new ConnectError("unknown runner key", Code.Unauthenticated);
      },
    });
    const refused = aSession(plane.url);
    refused.session.start();
    await until(() => refused.observed.ends.length === 1, "the refusal");
    expect(refused.observed.ends).toMatchObject([{ kind: "key_refused", isFirst: true }]);
    expect(refused.observed.ends[0]?.line).not.toContain(KEY);

    isRevoked = false;
    const accepted = aSession(plane.url);
    accepted.session.start();
    await until(() => accepted.observed.welcomes === 1, "the welcome");
    isRevoked = true;
    plane.cut();
    await until(() => accepted.observed.ends.some(({ kind }) => kind === "key_refused"), "the refusal");
    expect(accepted.observed.ends.at(-1)).toMatchObject({ kind: "key_refused", isFirst: false });
  });

  it("by another protocol version, says so", async () => {
    const plane = await aControlPlane({
      onOpen: () => {
        throw new ConnectError("speaks versions 2 to 3", Code.FailedPrecondition);
      },
    });
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.ends.length === 1, "the refusal");
    expect(observed.ends[0]).toMatchObject({ kind: "version_refused" });
    expect(observed.ends[0]?.line).toMatch(/protocol version: speaks versions 2 to 3$/);
  });

  it.each<[string, (stream: AgentStream, request: SessionRequest) => void]>([
    ["that begins with something else than a Welcome", (stream) => stream.send({ case: "drain", value: {} })],
    ["that ends before the Welcome", (stream) => stream.end()],
    [
      "that welcomes twice",
      (stream, request) => {
        answerPolitely(stream, request);
        answerPolitely(stream, request);
      },
    ],
  ])("a stream %s is given up, and another one tried", async (_name, onMessage) => {
    let isFirst = true;
    const plane = await aControlPlane({
      onMessage: (stream, request) => {
        if (isFirst) onMessage(stream, request);
        else answerPolitely(stream, request);
        isFirst &&= stream.messages("hello").length === 0;
      },
    });
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.ends.length >= 1 && session.isConnected, "the second session");
    expect(observed.ends[0]?.kind).toBe("lost");
  });

  it("a network that swallows everything is noticed while the stream is open, and while connecting", async () => {
    const plane = await aControlPlane();
    const proxy = await aProxy(plane.port);
    const { session, observed } = aSession(proxy.url);
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    proxy.swallow();
    const swallowedAt = performance.now();
    await until(() => observed.ends.length >= 1, "the loss of the stream", 30_000);
    expect(observed.ends[0]).toMatchObject({ kind: "lost" });
    expect(observed.ends[0]?.line).toMatch(/answers no more/);
    // 2 s to the next ping and 3 s for its answer; the rest is for a slow machine.
    expect(performance.now() - swallowedAt).toBeLessThan(15_000);
    await until(() => observed.ends.length >= 2, "a vain attempt", 30_000);
    proxy.restore();
    await until(() => observed.welcomes === 2, "the next session", 30_000);
  });

  it.each([
    ["answers in HTTP/1", "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"],
    ["closes without an answer", ""],
    ["answers nonsense", "\0\0\0\0\0\0 nonsense nonsense nonsense"],
  ])("a server that %s is distinguished from one that is away", async (_name, answer) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { session, observed } = aSession(`http://127.0.0.1:${port}`);
    session.start();
    await until(() => observed.ends.length >= 2, "two attempts");
    expect(observed.ends[0]).toMatchObject({ kind: "lost", isFirst: true });
    expect(observed.ends[0]?.line).toMatch(
      /^no session with [^\n]* \(is this the address of the RunnerService/,
    );
  });
});
