import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CheckAsCode, RecordAsCode, TeamAsCode } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SECRETS, storeOddRecords } from "./odd-records.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
  await storeOddRecords(stage.controlPlane);
});
afterAll(() => stage.strike(), 60_000);

const asCode = (id: string) => stage.controlPlane.ok<CheckAsCode>("GET", `/api/checks/${id}/as-code`);

async function checkIds(): Promise<Map<string, string>> {
  const { checks } = await stage.controlPlane.ok<{ checks: { id: string; name: string }[] }>(
    "GET",
    "/api/checks?view=summary",
  );
  return new Map(checks.map(({ id, name }) => [name, id]));
}

test("a check as code is what pull writes of it, valid, and without a secret", async () => {
  for (const [name, id] of await checkIds()) {
    if (name.startsWith("one page")) continue;
    const { files, secrets, reason, project } = await asCode(id);
    expect({ reason, project }).toEqual({ reason: null, project: null });
    const folder = stage.otherFolder();
    const pulled = await stage.run(["pull", "--monitor", id, "-o", "project", "--json"], { cwd: folder });
    const { data } = JSON.parse(pulled.stdout);
    expect(data.secrets.map((one: { name: string }) => one.name)).toEqual(secrets);
    expect(files.map(({ path }) => join("project", path)).sort()).toEqual(data.files.toSorted());
    for (const { path, text } of files) {
      expect(text).toBe(readFileSync(join(folder, "project", path), "utf8"));
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
    const env = Object.fromEntries(secrets.map((variable) => [variable, "https://a.example.com/x"]));
    const validated = await stage.run(["validate"], { cwd: join(folder, "project"), env });
    expect(validated).toMatchObject({ code: 0 });
  }
});

test("all that a team has is exported as pull writes it", async () => {
  const exported = await stage.controlPlane.ok<TeamAsCode>("GET", "/api/as-code?project=exported");
  expect(exported).toMatchObject({ reason: null, unmanaged: [{ kind: "check", name: "one page\n# up" }] });
  const folder = stage.otherFolder();
  const pulled = await stage.run(["pull", "-o", "exported", "--json"], { cwd: folder });
  const { data } = JSON.parse(pulled.stdout);
  expect(data.problems).toEqual([]);
  expect(data.secrets.map(({ name }: { name: string }) => name)).toEqual(exported.secrets);
  expect(exported.files.map(({ path }) => join("exported", path)).sort()).toEqual(data.files.toSorted());
  for (const { path, text } of exported.files) {
    expect([path, text]).toEqual([path, readFileSync(join(folder, "exported", path), "utf8")]);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  }
});

test("a check that no config can describe is answered with the reason", async () => {
  const id = (await checkIds()).get("one page\n# up") as string;
  expect(await asCode(id)).toEqual({
    project: null,
    files: [],
    secrets: [],
    reason: expect.stringContaining("a browser check of a single URL"),
  });
});

test("a check that a deploy manages names its project, also in the config", async () => {
  const id = (await checkIds()).get("tools") as string;
  await stage.controlPlane.ok("PUT", "/api/deploy-baselines/shop", {
    resources: [{ kind: "check", name: "tools", resourceId: id, hash: "0", updatedAt: "now" }],
  });
  const { project, files } = await asCode(id);
  expect(project).toBe("shop");
  expect(files[0]?.text).toContain("\nproject: shop\n");
});

/** Returns the entries under a key of a config, as they are written; none when it lacks the key. */
function entriesOf(config: string, key: string): string[] {
  const [, section = ""] = new RegExp(`^${key}:\n((?: .*\n|\n)*)`, "m").exec(config) ?? [];
  return section.split(/^(?= {2}\S)/m).filter(Boolean);
}

/** Returns the alert rules of a monitor's entry, as they are written. */
function rulesOf(monitor: string | undefined): string[] {
  const [, section = ""] = /^ {4}alerts:\n((?: {5,}.*\n|\n)*)/m.exec(monitor ?? "") ?? [];
  return section.split(/^(?= {6}- )/m).filter(Boolean);
}

/** Returns the value of a field of an entry, as it is written. */
const written = (entry: string | undefined, field: string) =>
  new RegExp(`^ {2}(?:- | {2})${field}: (.*)$`, "m").exec(entry ?? "")?.[1];

describe("a record as code", () => {
  /** Paths of the lists, with the names that their answers and their records' ids have. */
  const KINDS = {
    SLO: ["/api/slos", "slos"],
    channel: ["/api/notification-channels", "channels"],
    "alert rule": ["/api/alerts", "alerts"],
    "alert policy": ["/api/alert-policies", "policies"],
    "maintenance window": ["/api/maintenance-windows", "maintenanceWindows"],
  } as const;
  let pulled: string;

  beforeAll(async () => {
    const { pattern } = await stage.controlPlane.ok<{ pattern: { id: string } }>(
      "POST",
      "/api/third-party-patterns",
      { name: "{{env.CDN}}", hostPattern: "*.cdn.example.com" },
    );
    await stage.controlPlane.ok("POST", "/api/slos", {
      name: "CDN",
      sloType: "third_party",
      patternId: pattern.id,
      targetBasisPoints: 9900,
      windowDays: 30,
    });
    const ids = await checkIds();
    await stage.controlPlane.ok("POST", "/api/maintenance-windows", {
      name: "{{secrets.Sundays}} ${X}",
      mode: "continue",
      checkIds: [ids.get("flow"), ids.get("Flow!")],
      startsAt: "2030-01-06T01:00:00",
      endsAt: "2030-01-06T02:30:00",
      recurring: true,
      recurrenceRule: "FREQ=WEEKLY;BYDAY=SU",
      timezone: "Europe/Berlin",
    });
    const folder = stage.otherFolder();
    await stage.run(["pull", "-o", "all"], { cwd: folder });
    pulled = readFileSync(join(folder, "all", "svc.config.yaml"), "utf8");
  });

  /** Returns the entry of the monitor with this name in what pull writes. */
  const monitorOf = (name: string | undefined) =>
    entriesOf(pulled, "monitors").find((entry) => written(entry, "name") === name);

  async function recordsOf(kind: keyof typeof KINDS): Promise<{ id: string; answer: RecordAsCode }[]> {
    const [path, list] = KINDS[kind];
    const answer = await stage.controlPlane.ok<Record<string, { id: string }[]>>("GET", path);
    return Promise.all(
      (answer[list] ?? []).map(async ({ id }) => ({
        id,
        answer: await stage.controlPlane.ok<RecordAsCode>("GET", `${path}/${id}/as-code`),
      })),
    );
  }

  /** Writes the files, has them validated, and returns the config and its folder. */
  async function validated({
    files,
    secrets,
    reason,
  }: RecordAsCode): Promise<{ config: string; folder: string }> {
    expect(reason).toBeNull();
    const folder = stage.otherFolder();
    for (const { path, text } of files) {
      for (const secret of SECRETS) expect(text).not.toContain(secret);
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const env = Object.fromEntries(secrets.map((variable) => [variable, "https://a.example.com/x"]));
    expect(await stage.run(["validate"], { cwd: folder, env })).toMatchObject({ code: 0 });
    expect(files[0]?.text).toMatch(/^# yaml-language-server: \$schema=http/);
    return { config: files[0]?.text ?? "", folder };
  }

  test("of an SLO has the SLO as pull writes it, alone, with its monitor or its third party", async () => {
    const found = await recordsOf("SLO");
    expect(found).toHaveLength(3);
    for (const { answer } of found) {
      const { config } = await validated(answer);
      expect(answer.note).toBeNull();
      const [slo, ...others] = entriesOf(config, "slos");
      expect(others).toEqual([]);
      expect(entriesOf(pulled, "slos")).toContain(slo);
      const [monitor, pattern] = [written(slo, "monitor"), written(slo, "pattern")];
      const named = (key: string) => entriesOf(config, key).map((entry) => written(entry, "name"));
      expect(named("monitors")).toEqual(monitor === undefined ? [] : [monitor]);
      expect(named("thirdPartyPatterns")).toEqual(pattern === undefined ? [] : [pattern]);
      // A monitor's rules that a config does not have would be deleted by its deploy.
      expect(rulesOf(entriesOf(config, "monitors")[0])).toEqual(rulesOf(monitorOf(monitor)));
    }
  });

  test("of a channel has the channel as pull writes it, alone", async () => {
    const found = await recordsOf("channel");
    expect(found).toHaveLength(5);
    for (const { answer } of found) {
      const { config } = await validated(answer);
      expect(answer.note).toBeNull();
      const channels = entriesOf(config, "alertChannels");
      expect(channels).toHaveLength(1);
      expect(entriesOf(pulled, "alertChannels")).toContain(channels[0]);
      expect(entriesOf(config, "monitors")).toEqual([]);
    }
  });

  test("of an alert rule has the rule as pull writes it, under its monitor, and says which rules a deploy of it alone deletes", async () => {
    const found = await recordsOf("alert rule");
    expect(found).toHaveLength(4);
    for (const { answer } of found) {
      const { config } = await validated(answer);
      const [monitor] = entriesOf(config, "monitors");
      const rules = rulesOf(monitor);
      const all = rulesOf(monitorOf(written(monitor, "name")));
      expect(rules).toHaveLength(1);
      expect(all).toContain(rules[0]);
      const others = all.length - 1;
      if (others === 0) expect(answer.note).toBeNull();
      else expect(answer.note).toContain(`deletes the monitor's ${others} other rule`);
    }
  });

  test("of an alert policy has the policy as pull writes it, with its channels", async () => {
    const [one, ...others] = await recordsOf("alert policy");
    expect(others).toEqual([]);
    const { config } = await validated((one as { answer: RecordAsCode }).answer);
    const policies = entriesOf(config, "alertPolicies");
    expect(policies).toHaveLength(1);
    expect(entriesOf(pulled, "alertPolicies")).toEqual(policies);
    expect(entriesOf(config, "alertChannels")).toHaveLength(1);
    expect(entriesOf(config, "monitors")).toEqual([]);
  });

  test("of a rule that an SLO generated is answered with the reason", async () => {
    const { alerts } = await stage.controlPlane.ok<{ alerts: { id: string; sloId: string | null }[] }>(
      "GET",
      `/api/checks/${await fullId()}/alerts`,
    );
    const generated = alerts.find(({ sloId }) => sloId !== null);
    expect(await stage.controlPlane.ok("GET", `/api/alerts/${generated?.id}/as-code`)).toMatchObject({
      files: [],
      reason: expect.stringContaining("made from its SLO"),
    });
  });

  async function fullId(): Promise<string> {
    const { slos } = await stage.controlPlane.ok<{ slos: { name: string; checkId: string }[] }>(
      "GET",
      "/api/slos",
    );
    return slos.find(({ name }) => name === "up")?.checkId ?? "";
  }

  test("of a maintenance window has the window with its monitors; a deploy of it changes nothing", async () => {
    const found = await recordsOf("maintenance window");
    expect(found).toHaveLength(2);
    expect(pulled).not.toContain("maintenanceWindows");
    const names = [];
    for (const { answer } of found) {
      const { config, folder } = await validated(answer);
      const diff = JSON.parse((await stage.run(["diff", "--json"], { cwd: folder })).stdout);
      expect(diff.data.summary).toMatchObject({ create: 0, update: 0, delete: 0 });
      expect(answer.note).toBeNull();
      const monitors = entriesOf(config, "monitors").map((entry) => written(entry, "name"));
      names.push([entriesOf(config, "maintenanceWindows").length, monitors]);
    }
    expect(names).toEqual([
      [1, ["Flow!", "flow"]],
      [1, []],
    ]);
  });

  test("some checks are one config, with what belongs to them", async () => {
    const ids = await checkIds();
    const wanted = [ids.get("flow"), ids.get("tools"), ids.get("one page\n# up")];
    const answer = await stage.controlPlane.ok<TeamAsCode>(
      "GET",
      `/api/as-code?checkIds=${wanted.join(",")}`,
    );
    const config = answer.files[0]?.text ?? "";
    expect(entriesOf(config, "monitors").map((entry) => written(entry, "name"))).toEqual(["flow", "tools"]);
    expect(entriesOf(config, "alertChannels")).toEqual([expect.stringMatching(/^ {2}chat:\n/)]);
    expect(answer.unmanaged).toMatchObject([{ kind: "check", name: "one page\n# up" }]);
    const { status } = await stage.controlPlane.call("GET", `/api/as-code?checkIds=${wanted[0]},chk_unknown`);
    expect(status).toBe(404);
  });
});
