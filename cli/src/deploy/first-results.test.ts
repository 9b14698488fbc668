import { type ApiClient, ApiError, type Check, checkTypesBy } from "@svc/contract";
import { expect, it } from "vitest";
import { CliError } from "../runtime/cli-error.ts";
import { WAIT_MS_MAX, waitForFirstResults } from "./first-results.ts";

const check = (id: string, fields: Partial<Check> = {}) =>
  ({ id, name: id, type: "http", enabled: true, ...fields }) as Check;
const { signal } = new AbortController();

/** Results that come at the nth question. */
function apiWith(answers: Record<string, { status: string; atQuestion: number }>) {
  const asked: Record<string, number> = {};
  const api = {
    listResults: async (id: string) => {
      const count = (asked[id] ?? 0) + 1;
      asked[id] = count;
      const answer = answers[id];
      return { results: answer && count >= answer.atQuestion ? [{ status: answer.status }] : [] };
    },
  } as unknown as ApiClient;
  return { api, asked };
}

const monotonicMs = () => performance.now();

it("waits until each enabled check that is probed has a result, and stops asking about checks that have one", async () => {
  const { api, asked } = apiWith({
    a: { status: "success", atQuestion: 1 },
    b: { status: "failure", atQuestion: 3 },
  });
  const pushed = checkTypesBy("pushed").map((type) => check(type, { type }));
  expect(pushed).not.toEqual([]);
  const found = await waitForFirstResults(
    [check("a"), check("b"), check("off", { enabled: false }), ...pushed],
    {
      api,
      signal,
      pollMs: 0,
      monotonicMs,
    },
  );
  expect(found).toEqual([
    { name: "a", checkId: "a", status: "success" },
    { name: "b", checkId: "b", status: "failure" },
  ]);
  expect(asked).toEqual({ a: 1, b: 3 });
});

it("ends after three minutes in total, with null for checks without a result", async () => {
  let now = 0;
  const { api, asked } = apiWith({ a: { status: "success", atQuestion: 1 } });
  const nowMs = () => {
    now += WAIT_MS_MAX / 4;
    return now;
  };
  const found = await waitForFirstResults([check("a"), check("b")], {
    api,
    signal,
    pollMs: 0,
    monotonicMs: nowMs,
  });
  expect(found.map(({ status }) => status)).toEqual(["success", null]);
  expect(asked.b).toBe(3);
});

it("waits for nothing when nothing was created", async () => {
  const { api } = apiWith({});
  expect(await waitForFirstResults([], { api, signal, monotonicMs })).toEqual([]);
});

it.each([
  ["a refusal for too many requests", new ApiError(429, undefined)],
  ["a failure of the service", new ApiError(502, undefined)],
  ["a connection that is lost", new TypeError("fetch failed", { cause: new Error("reset") })],
  ["a page of a proxy", new CliError("general_error", "answered with text/html")],
  ["broken JSON", new SyntaxError("Unexpected end of JSON input")],
])("asks again after %s", async (_what, error) => {
  let questions = 0;
  const api = {
    listResults: async () => {
      if (questions++ === 0) throw error;
      return { results: [{ status: "success" }] };
    },
  } as unknown as ApiClient;
  const found = await waitForFirstResults([check("a")], { api, signal, pollMs: 0, monotonicMs });
  expect(found).toMatchObject([{ status: "success" }]);
});

it("ends at an error that waiting can't mend", async () => {
  const api: Pick<ApiClient, "listResults"> = {
    listResults: () => Promise.reject(new ApiError(401, undefined)),
  };
  const waiting = waitForFirstResults([check("a")], { api, signal, pollMs: 0, monotonicMs });
  await expect(waiting).rejects.toMatchObject({ status: 401 });
});

it("judges the first result, though a second came since the last look", async () => {
  const api = {
    listResults: async (_id: string, { limit }: { limit: number }) => ({
      results: [{ status: "success" }, { status: "failure" }].slice(0, limit),
    }),
  } as unknown as ApiClient;
  const found = await waitForFirstResults([check("a")], { api, signal, pollMs: 0, monotonicMs });
  expect(found).toEqual([{ name: "a", checkId: "a", status: "failure" }]);
});
