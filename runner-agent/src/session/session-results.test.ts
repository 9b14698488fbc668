import { describe, expect, it } from "vitest";
import { aControlPlane, acknowledging, aSession, slotsOf } from "../../test-support/session-test.ts";
import { until } from "../../test-support/until.ts";

describe("results", () => {
  it("are sent together and deleted when acknowledged", async () => {
    const plane = await aControlPlane({ onMessage: acknowledging });
    const { session, results, append } = aSession(plane.url);
    session.start();
    append(3);
    append(2);
    await until(() => results.size === 0, "all acknowledged");
    expect(slotsOf(plane.stream)).toEqual([1, 2, 3, 4, 5]);
  });

  it("of a long outage are all delivered, in order, a window at a time", async () => {
    const plane = await aControlPlane({ onMessage: acknowledging });
    const { session, results, append } = aSession(plane.url);
    append(10_000);
    session.start();
    await until(() => results.size === 0, "all acknowledged");
    expect(slotsOf(plane.stream)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
  });

  it("not acknowledged when the connection breaks are sent again under the same number", async () => {
    const plane = await aControlPlane();
    const { session, results, append } = aSession(plane.url);
    session.start();
    append(4);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.cut();
    await until(() => plane.streams[1]?.messages("resultBatch").length === 1, "the batch again");
    const [first, again] = plane.streams.map((stream) => stream.messages("resultBatch")[0]);
    expect(again).toEqual(first);
    expect(results.size).toBe(4);
    plane.stream.send({ case: "ack", value: { seq: again?.seq as bigint } });
    await until(() => results.size === 0, "the acknowledgement");
  });

  it("that the control plane refuses for good are reported and deleted", async () => {
    const plane = await aControlPlane();
    const { session, observed, results, append } = aSession(plane.url);
    session.start();
    append(2);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.stream.send({
      case: "ack",
      value: { seq: 1n, rejections: [{ index: 1, reason: "unknown check" }] },
    });
    await until(() => results.size === 0, "the acknowledgement");
    expect(observed.rejected).toEqual(["unknown check"]);
  });
});
