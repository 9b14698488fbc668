import { HOUR_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { evaluateBetweenResults } from "./evaluate-between-results.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());

describe("the evaluation between results", () => {
  let timed: AlertTestCheck[];
  beforeAll(async () => {
    timed = [];
    for (let i = 0; i < 5; i++) {
      const check = await test.newCheck();
      await test.newRule(check, { conditions: [{ type: "missed_runs", count: 2 }] });
      timed.push(check);
    }
    // Of a check that no time changes, and of one that is switched off.
    await test.newRule(await test.newCheck(), { conditions: [{ type: "consecutive_failures", count: 1 }] });
    const off = await test.newCheck({ enabled: false });
    await test.newRule(off, { conditions: [{ type: "missed_runs", count: 2 }] });
  });
  const spy = () => ({
    evaluateNow: vi.fn(async (_trx: unknown, _checkKeys: readonly number[]): Promise<void> => {}),
  });

  it("covers every check with a rule that time alone can fire, each once, a page in a transaction", async () => {
    const evaluator = spy();
    await evaluateBetweenResults(test.services.knex, evaluator, { checksAtOnce: 2 });
    const groups = evaluator.evaluateNow.mock.calls.map(([, checkKeys]) => checkKeys);
    expect(groups.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(groups.flat()).toEqual(timed.map(({ key }) => key).sort((a, b) => a - b));
  });

  it("begins no other page once it was aborted", async () => {
    const [evaluator, ending] = [spy(), new AbortController()];
    evaluator.evaluateNow.mockImplementation(async () => ending.abort());
    await evaluateBetweenResults(test.services.knex, evaluator, { signal: ending.signal, checksAtOnce: 2 });
    expect(evaluator.evaluateNow).toHaveBeenCalledTimes(1);
  });
});

describe("the evaluation of certificates at results that say nothing new of them", () => {
  beforeEach(() => test.clock.advance(HOUR_MS));

  /** A check whose certificate is fine today, and 49 others without rules about certificates. */
  async function fleet() {
    const checks: AlertTestCheck[] = [];
    for (let i = 0; i < 51; i++) {
      const check = await test.newCheck();
      const type = i === 0 ? "ssl_expiry" : "consecutive_failures";
      await test.newRule(check, { conditions: [i === 0 ? { type } : { type, count: 5 }] });
      checks.push(check);
    }
    const first = checks[0] as AlertTestCheck;
    const validTo = new Date(test.clock.nowMs() + 14 * 24 * HOUR_MS + HOUR_MS / 4).toISOString();
    await test.deliver(first, [{ slotMs: test.clock.nowMs(), tls: { validTo } }]);
    expect(await test.instances(first)).toEqual([]);
    const deliver = (some: readonly AlertTestCheck[]) =>
      test.deliver(
        first,
        some.map(({ key }) => ({ checkKey: key, slotMs: test.clock.nowMs() })),
      );
    return { first, checks, deliver };
  }

  it("comes with the first group in which one result in fifty is due for it", async () => {
    const { first, checks, deliver } = await fleet();
    test.clock.advance(HOUR_MS);
    await deliver(checks.slice(0, 50));
    expect(await test.instances(first)).toMatchObject([{ state: "active" }]);
  });

  it("waits in a larger group, where it alone would cost the transaction; an hour at most", async () => {
    const { first, checks, deliver } = await fleet();
    test.clock.advance(HOUR_MS);
    await deliver(checks);
    expect(await test.instances(first)).toEqual([]);
    test.clock.advance(HOUR_MS);
    await deliver(checks);
    expect(await test.instances(first)).toHaveLength(1);
  });
});
