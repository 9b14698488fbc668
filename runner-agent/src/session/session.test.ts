import { describe, expect, it } from "vitest";
import { TEST_CERTIFICATE } from "../../../contract/test-support/tls.ts";
import { FakeControlPlane, WELCOME } from "../../test-support/fake-control-plane.ts";
import { aControlPlane, aSession, KEY, PROTO_CHECK } from "../../test-support/session-test.ts";
import { until } from "../../test-support/until.ts";

describe("a session", () => {
  it("says hello with its key, is welcomed, and sends heartbeats that measure the clock", async () => {
    const plane = await aControlPlane();
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.serverTimes.length >= 2, "a heartbeat's answer");
    expect(plane.stream.authorization).toBe(`Bearer ${KEY}`);
    expect(plane.stream.messages("hello")).toMatchObject([
      { protocolVersion: 1, agentVersion: "1.2.3", capabilities: ["http"], locationIds: ["loc_a"] },
    ]);
    expect(plane.stream.messages("heartbeat")[0]).toMatchObject({
      activeRuns: 1,
      assignedChecks: 2,
      backlogResults: 3n,
      spoolBytes: 4n,
      droppedResults: 5n,
      latenessP99Ms: 6,
      loopBusyBasisPoints: 7,
      accepting: true,
    });
    expect(session.isConnected).toBe(true);
  });

  it("applies a snapshot when its last part is there, and changes after it", async () => {
    const plane = await aControlPlane();
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    const assignment = { checkKey: 5n, locationKey: 1, staggerMs: 3, effectiveFromMs: 4n, doneSlotsMs: [9n] };
    plane.stream.send({ case: "snapshot", value: { checks: [PROTO_CHECK] } });
    plane.stream.send({ case: "delta", value: { unassignments: [{ checkKey: 5n, locationKey: 1 }] } });
    plane.stream.send({ case: "snapshot", value: { assignments: [assignment], last: true } });
    await until(() => observed.deltas.length === 1, "the delta");
    expect(observed.snapshots).toEqual([
      {
        checks: [
          expect.objectContaining({ checkKey: 5, checkId: "chk_5", frequencySeconds: 60, revision: 2 }),
        ],
        assignments: [{ checkKey: 5, locationKey: 1, staggerMs: 3, effectiveFromMs: 4, doneSlotsMs: [9] }],
      },
    ]);
    expect(observed.deltas[0]?.unassignments).toEqual([{ checkKey: 5, locationKey: 1 }]);
  });

  it("passes dispatches on, and leaves out those that can't be run", async () => {
    const plane = await aControlPlane();
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    plane.stream.send({ case: "runNow", value: { locationKey: 1, slotMs: 1n } });
    const broken = { ...PROTO_CHECK, frequencySeconds: 0 };
    plane.stream.send({ case: "runNow", value: { check: broken, locationKey: 1, slotMs: 2n } });
    plane.stream.send({ case: "runNow", value: { check: PROTO_CHECK, locationKey: 1, slotMs: 3n } });
    await until(() => observed.dispatches.length > 0, "a dispatch");
    expect(observed.dispatches.map(({ slotMs }) => slotMs)).toEqual([3]);
  });

  it("goes over TLS when the certificate is signed by a trusted authority, and else says what is wrong", async () => {
    const plane = await aControlPlane({ isSecure: true });
    const trusting = aSession(plane.url, {}, TEST_CERTIFICATE);
    trusting.session.start();
    await until(() => trusting.observed.welcomes === 1, "the welcome");
    const other = aSession(plane.url);
    other.session.start();
    await until(() => other.observed.ends.length >= 1, "the refusal");
    expect(other.observed.ends[0]?.line).toMatch(/^no session with [^\n]*self-signed certificate[^\n]*$/);
    const plain = aSession(plane.url.replace("https", "http"));
    plain.session.start();
    await until(() => plain.observed.ends.length >= 1, "the mismatch");
    expect(plain.observed.ends[0]?.line).toMatch(/with the right scheme\?\)$/);
  });

  it("gives slots back, also those from before the welcome", async () => {
    const plane = await aControlPlane();
    const { session, observed, giveBacks } = aSession(plane.url);
    giveBacks.add({ checkKey: 1, locationKey: 2, slotMs: 3, reason: "network" });
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    giveBacks.add({ checkKey: 4, locationKey: 5, slotMs: 6, reason: "unsupported" });
    session.giveBacksAvailable();
    await until(() => plane.stream.messages("giveBack").length === 2, "both");
    expect(plane.stream.messages("giveBack").flatMap(({ slots }) => slots)).toMatchObject([
      { checkKey: 1n, locationKey: 2, slotMs: 3n, reason: 4 },
      { checkKey: 4n, locationKey: 5, slotMs: 6n, reason: 6 },
    ]);
  });

  it.each([
    ["that were not acknowledged over the next stream, however long ago they were sent", true, [2, 3]],
    [
      "again that were sent just before the break, where the control plane acknowledges nothing",
      false,
      [1, 2, 3],
    ],
  ])("gives slots back %s", async (_which, acksGiveBacks, repeated) => {
    const plane = await aControlPlane({
      onMessage: (stream, { message }) => {
        if (message.case === "hello") {
          const { agentSentAtMs } = message.value;
          const welcome = { ...WELCOME, acksGiveBacks, agentSentAtMs, serverTimeMs: BigInt(Date.now()) };
          stream.send({ case: "welcome", value: welcome });
        }
        if (message.case === "giveBack" && acksGiveBacks && message.value.slots[0]?.slotMs === 1n)
          stream.send({ case: "giveBackAck", value: { seq: message.value.seq } });
      },
    });
    const { session, observed, giveBacks } = aSession(plane.url);
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    const slotsOf = (index: number) =>
      plane.streams[index]
        ?.messages("giveBack")
        .flatMap(({ slots }) => slots.map((one) => Number(one.slotMs)));
    for (const slotMs of [1, 2, 3]) {
      giveBacks.add({ checkKey: 1, locationKey: 2, slotMs, reason: "network" });
      session.giveBacksAvailable();
      await until(() => slotsOf(0)?.length === slotMs, `slot ${slotMs}`);
    }
    plane.streams[0]?.end();
    await until(() => slotsOf(1)?.length === repeated.length, "the slots again");
    expect(slotsOf(1)).toEqual(repeated);
    const seqs = plane.streams.flatMap((stream) => stream.messages("giveBack").map(({ seq }) => Number(seq)));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(Math.min(...seqs)).toBeGreaterThan(0);
  });
});

describe("closing", () => {
  it("says goodbye and connects no more", async () => {
    const plane = await aControlPlane();
    const { session, observed } = aSession(plane.url);
    session.start();
    await until(() => observed.welcomes === 1, "the welcome");
    await session.close();
    await until(() => plane.stream.messages("goodbye").length === 1, "the goodbye");
    expect(plane.streams).toHaveLength(1);
    expect(observed.ends).toEqual([]);
  });

  it("ends at once while the control plane is away", async () => {
    const plane = await FakeControlPlane.start();
    const { url } = plane;
    await plane.stop();
    const { session, observed } = aSession(url);
    session.start();
    await until(() => observed.ends.length >= 2, "vain attempts");
    await session.close();
    const attempts = observed.ends.length;
    await session.close();
    expect(observed.ends).toHaveLength(attempts);
  });
});
