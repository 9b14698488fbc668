/** Alerts of checks that depend on others, from results to notifications; with generated histories. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { endMutes } from "../instances/end-mutes.ts";
import { postgresMuteStore } from "../instances/mute-store.ts";
import { reviewHolds } from "./review-holds.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());

const RULE = { conditions: [{ type: "consecutive_failures", count: 1 }] };
const nowMs = () => test.clock.nowMs();

async function newCheck(name: string, dependsOn: AlertTestCheck[] = [], rule: object | null = RULE) {
  const check = await test.newCheck({ name, dependsOn: dependsOn.map(({ id }) => id) } as object);
  if (rule) await test.newRule(check, rule as Parameters<AlertTest["newRule"]>[1]);
  return check;
}
const fail = (check: AlertTestCheck) => test.deliver(check, [{ slotMs: nowMs(), status: "failure" }]);
const succeed = (check: AlertTestCheck) => test.deliver(check, [{ slotMs: nowMs() }]);
const review = () => reviewHolds(test.services.knex, nowMs());
/** Lets time pass, with the reviews of each second of it that matters: five. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < 5; i++) {
    test.clock.advance((seconds * 1000) / 5);
    await review();
  }
}
const kinds = (check: AlertTestCheck) => test.notifications(check);
async function shown(check: AlertTestCheck) {
  const { body } = await test.call("GET", `/api/alerts/instances?checkId=${check.id}`);
  return body.instances[0];
}
const events = async (check: AlertTestCheck) =>
  (await test.services.knex("alertEvents").where({ checkKey: check.key }).orderBy("id")).map(
    ({ type }) => type,
  );

describe("a check that depends on another", () => {
  it("a check that depends on none is notified at once, as ever", async () => {
    const check = await newCheck("alone");
    await fail(check);
    expect(await kinds(check)).toEqual(["triggered"]);
    expect(await shown(check)).not.toHaveProperty("heldBack");
  });

  it("while the other one fails nobody is notified, and the alert says why; after its recovery its own end is silent", async () => {
    const parent = await newCheck("Database");
    const child = await newCheck("Shop", [parent]);
    await fail(parent);
    await fail(child);
    await review();
    const { heldBack, state } = await shown(child);
    expect(state).toBe("active");
    expect(heldBack).toMatchObject({
      reason: "dependency",
      text: "held back: depends on Database, which is failing",
      instanceId: (await shown(parent)).id,
      checkId: parent.id,
      checkName: "Database",
    });
    await pass(3_600);
    await succeed(parent);
    await review();
    expect((await shown(child)).heldBack.text).toBe(
      "held back: depends on Database, which has just recovered",
    );
    await pass(20);
    await succeed(child);
    await pass(3_600);
    expect([await kinds(parent), await kinds(child)]).toEqual([["triggered", "recovered"], []]);
    expect((await shown(child)).heldBack.checkName).toBe("Database");
    expect(await events(child)).toEqual(["triggered", "held", "recovered"]);
  });

  it("a child that fails on after the recovery is notified of its own begin", async () => {
    const parent = await newCheck("p");
    const child = await newCheck("c", [parent]);
    await fail(child);
    const beganAt = (await shown(child)).startedAt;
    test.clock.advance(20_000);
    await fail(parent);
    await pass(600);
    await succeed(parent);
    await pass(30);
    await fail(child);
    expect(await kinds(child)).toEqual([]);
    await pass(320);
    expect(await kinds(child)).toEqual(["triggered"]);
    const [{ id }] = await test.instances(child);
    const sent = await test.services.knex("notifications").where({ subjectId: id }).first("payload");
    expect(sent.payload.startedAt).toBe(beganAt);
    expect(await events(child)).toEqual(["triggered", "held", "released"]);
    expect(await shown(child)).not.toHaveProperty("heldBack");
    await succeed(child);
    expect(await kinds(child)).toEqual(["triggered", "recovered"]);
  });

  it("the child fails first: it waits for the other one's next run, and goes out when that succeeds", async () => {
    const parent = await newCheck("p");
    const child = await newCheck("c", [parent]);
    await fail(child);
    await pass(10);
    expect(await kinds(child)).toEqual([]);
    expect((await shown(child)).heldBack).toMatchObject({ checkName: null, instanceId: null });
    await succeed(parent);
    await review();
    expect(await kinds(child)).toEqual(["triggered"]);
  });

  it("the other one does not run: the child waits for a minute and no longer", async () => {
    const parent = await newCheck("p");
    const child = await newCheck("c", [parent]);
    await fail(child);
    await pass(59);
    expect(await kinds(child)).toEqual([]);
    await pass(1);
    expect(await kinds(child)).toEqual(["triggered"]);
  });

  it.each([
    ["has no rule", null],
    ["has a rule that notifies nobody", RULE],
    ["has an alert about something else", { conditions: [{ type: "response_time_threshold", maxMs: 1 }] }],
  ])("a failing one that %s holds the child for three minutes at most", async (title, rule) => {
    const parent = await newCheck("p", [], rule);
    if (title.includes("nobody"))
      await test.services.knex("alertRules").where({ checkKey: parent.key }).update({ channelIds: [] });
    const child = await newCheck("c", [parent]);
    await succeed(parent);
    test.clock.advance(1_000);
    await fail(parent);
    await fail(child);
    await pass(179);
    expect(await kinds(child)).toEqual([]);
    await pass(1);
    expect(await kinds(child)).toEqual(["triggered"]);
  });

  it("one that is switched off holds nothing longer than one that recovered", async () => {
    const parent = await newCheck("off");
    const child = await newCheck("c", [parent]);
    await fail(parent);
    await fail(child);
    await review();
    expect((await test.call("PUT", `/api/checks/${parent.id}`, { enabled: false })).status).toBe(200);
    await review();
    await pass(329);
    expect(await kinds(child)).toEqual([]);
    await pass(1);
    expect(await kinds(child)).toEqual(["triggered"]);
  });

  it("one that is deleted holds nothing any more", async () => {
    const parent = await newCheck("gone");
    const child = await newCheck("c", [parent]);
    await fail(parent);
    await fail(child);
    await pass(100);
    expect((await test.call("DELETE", `/api/checks/${parent.id}`)).status).toBe(200);
    await review();
    expect(await kinds(child)).toEqual(["triggered"]);
  });

  it("through others: the root's alert is named, also when the one between is held itself or has no rule", async () => {
    const root = await newCheck("root");
    const between = await newCheck("between", [root]);
    const silent = await newCheck("silent", [root], null);
    const [a, b] = [await newCheck("a", [between]), await newCheck("b", [silent])];
    for (const check of [a, b, between, root]) await fail(check);
    await review();
    for (const check of [a, b, between]) expect((await shown(check)).heldBack.checkName).toBe("root");
    expect([await kinds(a), await kinds(b), await kinds(between)]).toEqual([[], [], []]);
    expect(await kinds(root)).toEqual(["triggered"]);
  });

  it("alerts that no other check can cause are notified at once: certificates, missed runs", async () => {
    const parent = await newCheck("p");
    const child = await newCheck("c", [parent], { conditions: [{ type: "ssl_expiry" }] });
    await fail(parent);
    const validTo = new Date(nowMs() + 86_400_000).toISOString();
    await test.deliver(child, [{ slotMs: nowMs(), tls: { validTo } }]);
    expect(await kinds(child)).toEqual(["triggered"]);
  });

  it("a mute and a hold at once: only the end of both notifies, in either order", async () => {
    for (const isMutedLonger of [true, false]) {
      const parent = await newCheck("p");
      const child = await newCheck("c", [parent]);
      await fail(parent);
      await fail(child);
      const { id } = await shown(child);
      const until = new Date(nowMs() + 1_000_000).toISOString();
      expect((await test.call("POST", `/api/alerts/instances/${id}/mute`, { until })).status).toBe(200);
      const mutes = () => endMutes(postgresMuteStore(test.services.knex), nowMs());
      test.clock.advance(1_000);
      if (isMutedLonger) await succeed(parent);
      await review();
      await fail(child);
      await pass(700);
      await mutes();
      expect(await kinds(child)).toEqual([]);
      test.clock.advance(400_000);
      await mutes();
      expect(await kinds(child)).toEqual(isMutedLonger ? ["triggered"] : []);
      await succeed(parent);
      await review();
      await fail(child);
      await pass(700);
      expect(await kinds(child)).toEqual(["triggered"]);
    }
  });

  it("somebody acknowledges or resolves it while it is held: nobody is notified", async () => {
    const parent = await newCheck("p");
    const child = await newCheck("c", [parent]);
    await fail(parent);
    await fail(child);
    const { id } = await shown(child);
    for (const verb of ["acknowledge", "resolve"])
      expect((await test.call("POST", `/api/alerts/instances/${id}/${verb}`)).status).toBe(200);
    await succeed(parent);
    await pass(700);
    expect(await kinds(child)).toEqual([]);
  });

  it("two replicas review at once: one notification", async () => {
    const parent = await newCheck("p");
    const child = await newCheck("c", [parent]);
    await fail(child);
    test.clock.advance(61_000);
    await Promise.all([review(), review(), review()]);
    expect(await kinds(child)).toEqual(["triggered"]);
  });
});

it("a page at a time reviews all of them", async () => {
  const parent = await newCheck("p");
  const children = await Promise.all([1, 2, 3, 4, 5].map((i) => newCheck(`c${i}`, [parent])));
  for (const child of children) await fail(child);
  test.clock.advance(60_000);
  await reviewHolds(test.services.knex, nowMs(), { alertsAtOnce: 2 });
  for (const child of children) expect(await kinds(child)).toEqual(["triggered"]);
});

describe("an alert that fails", () => {
  it("keeps no other from its turn, on its page or on another, and is reported", async () => {
    const parent = await newCheck("p");
    const children = [
      await newCheck("c1", [parent]),
      await newCheck("c2", [parent]),
      await newCheck("c3", [parent]),
    ];
    for (const child of children) await fail(child);
    const [first] = children as [AlertTestCheck];
    const [{ id }] = await test.instances(first);
    const { knex } = test.services;
    await knex.raw(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON held_alerts FOR EACH ROW WHEN (OLD.instance_id = '${id}') EXECUTE FUNCTION refuse()`);
    test.clock.advance(60_000);
    for (const alertsAtOnce of [500, 1])
      await expect(reviewHolds(knex, nowMs(), { alertsAtOnce })).rejects.toThrow(
        "1 reviews of held alerts failed",
      );
    expect(await Promise.all(children.map(kinds))).toEqual([[], ["triggered"], ["triggered"]]);
    await knex.raw("DROP TRIGGER refuse ON held_alerts; DROP FUNCTION refuse()");
    await review();
    expect(await kinds(first)).toEqual(["triggered"]);
  });

  it.each([false, true])(
    "because its dependencies can't be read is held for minutes, others are judged as ever; held under an alert before: %s",
    async (wasHeldUnder) => {
      const [broken, parent] = [await newCheck("broken"), await newCheck("p")];
      const children = [await newCheck("of broken", [broken]), await newCheck("c", [parent])] as const;
      for (const check of [parent, broken, ...children]) await fail(check);
      if (wasHeldUnder) await review();
      const rules = test.services.knex("alertRules").where({ checkKey: broken.key });
      await rules.clone().update({ conditions: "{}" });
      const passBlindly = async (seconds: number) => {
        test.clock.advance(seconds * 1000);
        await expect(review()).rejects.toThrow("held alerts failed");
      };
      await passBlindly(0);
      await passBlindly(wasHeldUnder ? 719 : 179);
      expect(await Promise.all(children.map(kinds))).toEqual([[], []]);
      await passBlindly(1);
      expect(await Promise.all(children.map(kinds))).toEqual([["triggered"], []]);
      expect((await shown(children[1])).heldBack.checkName).toBe("p");
      await rules.update({ conditions: JSON.stringify(RULE.conditions) });
    },
  );
});

describe("generated histories", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("fail", "succeed"), check: fc.constantFrom(0, 1, 2) }),
    fc.record({ kind: fc.constant("pass"), seconds: fc.constantFrom(1, 20, 61, 95, 185) }),
  );

  it("no alert is lost, none goes out while one that it depends on has an alert, and none is held longer than is documented", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        test.clock.advance(3_600_000);
        const root = await newCheck("root");
        const middle = await newCheck("middle", [root]);
        const leaf = await newCheck("leaf", [middle]);
        const checks = [root, middle, leaf] as const;
        const isOpen = [false, false, false];
        let notified = [0, 0, 0];
        /** Instant since when nothing above has had an alert or a failing run, and the alert itself is open. */
        const freeSince: (number | null)[] = [null, null, null];
        const verify = async () => {
          for (const [i, check] of checks.entries()) {
            const [instance] = (await test.instances(check)).slice(-1);
            const count = (await kinds(check)).filter((kind) => kind === "triggered").length;
            const isAboveOpen = isOpen.slice(0, i).includes(true);
            if (isAboveOpen && i > 0) expect([i, count]).toEqual([i, notified[i]]);
            if (!isOpen[i] || isAboveOpen) freeSince[i] = null;
            else freeSince[i] ??= nowMs();
            const free = freeSince[i];
            if (free != null && nowMs() - free > 721_000)
              expect([i, instance.wasAnnounced]).toEqual([i, true]);
            if (i === 0 && isOpen[0]) expect(instance.wasAnnounced).toBe(true);
          }
          notified = await Promise.all(
            checks.map(async (one) => (await kinds(one)).filter((kind) => kind === "triggered").length),
          );
        };
        for (const one of steps) {
          if ("seconds" in one) {
            test.clock.advance(one.seconds * 1000);
            await review();
          } else {
            test.clock.advance(1_000);
            const check = checks[one.check] as AlertTestCheck;
            await (one.kind === "fail" ? fail(check) : succeed(check));
            isOpen[one.check] = one.kind === "fail";
            // Reviewed at once: the model knows of no moment between a result and the review after it.
            await review();
          }
          await verify();
        }
        test.clock.advance(1_000);
        await succeed(root);
        isOpen[0] = false;
        for (let i = 0; i < 4; i++) await pass(340);
        const [middleRow] = (await test.instances(middle)).slice(-1);
        if (isOpen[1]) expect(middleRow.wasAnnounced).toBe(true);
        await succeed(middle);
        isOpen[1] = false;
        for (let i = 0; i < 4; i++) await pass(340);
        const [leafRow] = (await test.instances(leaf)).slice(-1);
        if (isOpen[2]) expect(leafRow.wasAnnounced).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
});
