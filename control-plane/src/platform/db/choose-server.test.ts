import { describe, expect, it } from "vitest";
import { chooseServer, refusalOf } from "./choose-server.ts";
import type { ServerState } from "./server-state.ts";

const aPrimary = (state: Partial<ServerState> = {}): ServerState => ({
  systemId: "7",
  isStandby: false,
  isReadOnly: false,
  timeline: 1,
  ...state,
});
const aStandby = aPrimary({ isStandby: true, isReadOnly: true, timeline: null });

function chosen(answers: (ServerState | Error)[], known: Parameters<typeof chooseServer>[2] = { known: {} }) {
  return chooseServer(
    answers.map((answer, i) => ({ server: { name: `s${i}` }, answer })),
    "read-write",
    known,
  );
}

describe("the server that is written to", () => {
  it.each([
    ["the only primary", [aStandby, aPrimary()], {}, 1, []],
    ["the first of two primaries", [aPrimary(), aPrimary()], {}, 0, [1]],
    ["the present one of two primaries", [aPrimary(), aPrimary()], { present: 1 }, 1, [0]],
    ["the primary of the newer timeline", [aPrimary(), aPrimary({ timeline: 2 })], { present: 0 }, 1, [0]],
    ["the one that answers", [new Error("connect ECONNREFUSED"), aPrimary()], { present: 0 }, 1, []],
    [
      "the one that is not read-only",
      [aPrimary({ isReadOnly: true }), aPrimary({ timeline: 1 })],
      { present: 0 },
      1,
      [],
    ],
  ])("is %s", (_name, answers, { present }: { present?: number }, index, rivals) => {
    expect(chosen(answers, { known: {}, present })).toEqual({ index, rivals });
  });

  it("has a rival in a primary of the past, though that is not chosen", () => {
    const answers = [aPrimary(), aPrimary({ timeline: 2 }), aStandby];
    expect(chosen(answers, { known: { timeline: 2 }, present: 1 })).toEqual({ index: 1, rivals: [0] });
  });

  it("is none when every one refuses, each for its reason", () => {
    const answers = [
      new Error("timeout expired"),
      aStandby,
      aPrimary({ timeline: 2 }),
      aPrimary({ systemId: "8", timeline: 4 }),
      new AggregateError([new Error("connect ECONNREFUSED ::1:5432")]),
    ];
    expect(chosen(answers, { known: { systemId: "7", timeline: 3 } })).toEqual({
      refusals: [
        "s0 (timeout expired)",
        "s1 (is a standby)",
        "s2 (is a primary of the past (timeline 2, and timeline 3 was seen))",
        "s3 (is another database cluster (system identifier 8, not 7))",
        "s4 (connect ECONNREFUSED ::1:5432)",
      ],
    });
  });
});

it("a read-only primary may be taken when the URL asks for a primary", () => {
  const state = aPrimary({ isReadOnly: true });
  expect(refusalOf(state, "primary", {})).toBeUndefined();
  expect(refusalOf(state, "read-write", {})).toBe("is read-only");
});
