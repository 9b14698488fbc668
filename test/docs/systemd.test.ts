/** The units of deploy/systemd: systemd takes them, they are hardened, and name commands and settings that exist. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";

const FOLDER = join(ROOT, "deploy/systemd");

/** A unit: its command's package, its settings, and the largest exposure that `systemd-analyze security` may find, in tenths. */
const UNITS = [
  {
    unit: "svc-control-plane.service",
    bins: "control-plane/package.json",
    config: "control-plane/src/platform/config.ts",
    env: "control-plane-env.example",
    exposureMax: 25,
  },
  {
    unit: "svc-runner.service",
    bins: "runner-agent/package.json",
    config: "runner-agent/src/base/config.ts",
    env: "env.example",
    exposureMax: 20,
  },
] as const;

const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
const analyzeTitle = hasAnalyze ? "systemd-analyze" : "systemd-analyze (skipped: it is not installed)";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe.each(UNITS)("$unit", ({ unit, bins, config, env }) => {
  const text = readFileSync(join(FOLDER, unit), "utf8");

  it("starts a command of the package", () => {
    const [, command = ""] = /^ExecStart=\/usr\/bin\/env (\S+)$/m.exec(text) ?? [];
    expect(Object.keys(JSON.parse(read(bins)).bin)).toContain(command);
  });

  it("and its example of settings name only variables that the program reads", () => {
    const known = read(config);
    const named = [
      ...text.matchAll(/(?:^Environment=| )([A-Z][A-Z_]+)=/gm),
      ...readFileSync(join(FOLDER, env), "utf8").matchAll(/^#?([A-Z][A-Z_]+)=/gm),
    ].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => name !== "NODE_ENV" && !known.includes(name))).toEqual([]);
  });

  it("keeps its data where the unit makes a folder", () => {
    const [, folder] = /^StateDirectory=(\S+)$/m.exec(text) ?? [];
    expect(text).toMatch(new RegExp(`DATA_DIR=/var/lib/${folder}$`, "m"));
  });
});

describe.skipIf(!hasAnalyze)(analyzeTitle, () => {
  let units: ReturnType<typeof temporaryFolder>;
  beforeAll(() => {
    units = temporaryFolder();
    for (const { unit } of UNITS) cpSync(join(FOLDER, unit), join(units.path, unit));
    const browser = join(units.path, "browser");
    mkdirSync(join(browser, "svc-runner.service.d"), { recursive: true });
    cpSync(join(FOLDER, "svc-runner.service"), join(browser, "svc-runner.service"));
    cpSync(join(FOLDER, "svc-runner-browser.conf"), join(browser, "svc-runner.service.d/browser.conf"));
  });
  afterAll(() => units.remove());

  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("systemd-analyze", args, {
      encoding: "utf8",
      cwd: units.path,
    });
    return { status, text: stdout + stderr };
  };

  it.each([...UNITS.map(({ unit }) => unit), "browser/svc-runner.service"])(
    "finds no fault with %s",
    (unit) => {
      const { status, text } = analyze("verify", `./${unit}`);
      // Older versions don't know each setting of the drop-in, and ignore it.
      const faults = text.split("\n").filter((line) => line && !line.includes("Unknown key"));
      expect([status, faults]).toEqual([0, []]);
    },
  );

  it.each(UNITS)("finds $unit hardened", ({ unit, exposureMax }) => {
    const { status, text } = analyze("security", "--offline=true", `--threshold=${exposureMax}`, `./${unit}`);
    expect(text).toMatch(/Overall exposure level/);
    expect(status, text).toBe(0);
  });

  it("finds more exposed what browser checks need, but not unsafe", () => {
    const exposure = (unit: string) =>
      Number(
        /exposure level for \S+ (\d+\.\d)/.exec(analyze("security", "--offline=true", `./${unit}`).text)?.[1],
      );
    expect(exposure("browser/svc-runner.service")).toBeGreaterThan(exposure("svc-runner.service"));
    expect(exposure("browser/svc-runner.service")).toBeLessThan(4);
  });
});
