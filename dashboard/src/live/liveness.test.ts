import { expect, it } from "vitest";
import { livenessOf } from "./liveness.ts";

const NOW = 1_000_000;

it.each([
  ["nothing came yet", { isConnected: false, heardAtMs: 0, answeredAtMs: 0 }, { state: "connecting" }],
  [
    "a ping is young",
    { isConnected: true, heardAtMs: NOW - 19_999, answeredAtMs: 0 },
    { state: "streaming" },
  ],
  [
    "a ping is 20 s old",
    { isConnected: true, heardAtMs: NOW - 20_000, answeredAtMs: 0 },
    { state: "stale", sinceMs: NOW - 20_000 },
  ],
  [
    "the connection has just broken",
    { isConnected: false, heardAtMs: NOW - 3_000, answeredAtMs: NOW },
    { state: "reconnecting" },
  ],
  [
    "a proxy holds the stream back, and requests are answered",
    { isConnected: false, heardAtMs: 0, answeredAtMs: NOW - 5_000 },
    { state: "polling" },
  ],
  [
    "neither stream nor answers come any more",
    { isConnected: false, heardAtMs: NOW - 30_000, answeredAtMs: NOW - 25_000 },
    { state: "stale", sinceMs: NOW - 25_000 },
  ],
] as const)("%s", (_name, signs, expected) => expect(livenessOf(signs, NOW)).toEqual(expected));
