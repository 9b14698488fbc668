import { expect, it } from "vitest";
import { aSendContext } from "../../../test-support/notifications.ts";
import { type Answer, aReceiver } from "../../../test-support/receivers.ts";
import { jsonOf, secondsAsMs, sendRequest } from "./http-request.ts";

it("a failed connection names the origin of the URL, and not its path, which may be the credential", async () => {
  const { url } = await aReceiver(() => "hang");
  const request = { url: `${url.replace(/\d+$/, "1")}/services/T0/secret?key=k`, method: "POST" as const };
  const { message } = await sendRequest(aSendContext(), { ...request, body: {} }).catch((error) => error);
  expect(message).toMatch(/^http:\/\/127\.0\.0\.1:1 could not be loaded: /);
  expect(message).not.toMatch(/secret|services/);
});

it.each<[string, Answer, number | undefined, number | undefined]>([
  ["the hint of the body", { status: 429, body: '{"retry":9}' }, 9_000, 429],
  [
    "the longer one of both",
    { status: 429, headers: { "retry-after": "12" }, body: '{"retry":9}' },
    12_000,
    429,
  ],
  ["the header alone", { status: 503, headers: { "retry-after": "3" }, body: "<html>" }, 3_000, 503],
  ["none, as the answer is final", { status: 400, body: '{"retry":9}' }, undefined, 400],
])("a refusal's delay: %s", async (_, answer, retryAfterMs, httpStatus) => {
  const { url } = await aReceiver(() => answer);
  const refusal = await sendRequest(aSendContext(), {
    url,
    method: "POST",
    body: {},
    retryAfterMs: (refused) => secondsAsMs(jsonOf(refused).retry),
  }).catch((error) => error);
  expect(refusal.httpStatus).toBe(httpStatus);
  expect(refusal.retryAfterMs).toBe(retryAfterMs);
});

it.each([
  [1.2345, 1_235],
  ["2", 2_000],
  [0, 0],
  [-1, undefined],
  ["", undefined],
  ["soon", undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [null, undefined],
])("%j seconds are %j ms", (seconds, ms) => expect(secondsAsMs(seconds)).toBe(ms));

it.each(["", "[1]", "null", "<html>", '"text"'])("%j is no object of JSON", (text) => {
  expect(jsonOf({ body: Buffer.from(text) })).toEqual({});
});
