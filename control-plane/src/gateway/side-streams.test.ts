import { setMaxListeners } from "node:events";
import type { TeamId } from "@svc/contract";
import { expect, test } from "vitest";
import { SideStreams } from "./side-streams.ts";

const [A, B] = ["team_a" as TeamId, "team_b" as TeamId];
const never = new AbortController().signal;
setMaxListeners(0, never);

/** Opens streams of a sender, each asking for a place; returns how many got one, and how to free one. */
async function ask(streams: SideStreams, sender: TeamId | undefined, count: number, signal = never) {
  const granted: (() => void)[] = [];
  for (let i = 0; i < count; i++) {
    streams.begin(sender);
    void streams.awaitSending(sender, signal).then((free) => granted.push(free));
  }
  await settled();
  return granted;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a team that holds its streams open gets no more of them; other teams and the hosted fleet do", () => {
  const streams = new SideStreams();
  const ends = Array.from({ length: 64 }, () => streams.begin(A));
  expect(() => streams.begin(A)).toThrow("64 uploads and documents are under way");
  streams.begin(B);
  streams.begin(undefined);
  ends[0]?.();
  streams.begin(A);
});

test("a team has two documents sent at a time, in their order, while others have theirs", async () => {
  const streams = new SideStreams();
  const ofA = await ask(streams, A, 10);
  expect(ofA).toHaveLength(2);
  expect(await ask(streams, B, 1)).toHaveLength(1);
  expect(await ask(streams, undefined, 16)).toHaveLength(16);
  ofA[0]?.();
  ofA[0]?.();
  await settled();
  expect(ofA).toHaveLength(3);
});

test("agents that have gone free their granted, also those they wait for", async () => {
  const streams = new SideStreams();
  const gone = new AbortController();
  setMaxListeners(0, gone.signal);
  await ask(streams, A, 10, gone.signal);
  gone.abort();
  await settled();
  expect(await ask(streams, A, 1)).toHaveLength(1);
});

test("sixteen documents of all private runners are sent at a time", async () => {
  const streams = new SideStreams();
  const counts = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask(streams, `team_${i}` as TeamId, 2)),
  );
  expect(counts.flat()).toHaveLength(16);
});
