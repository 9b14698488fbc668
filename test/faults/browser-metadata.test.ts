import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleForChild } from "../../runner-agent/test-support/bundle.ts";
import { hasSandbox, SANDBOX_ADVICE } from "../harness/browser.ts";
import { type RunningProcess, startProgram } from "../harness/process.ts";

/** A network namespace: nothing leads out of it, and the addresses of the metadata services are its own loopback's. */
const NAMESPACE = ["--user", "--map-root-user", "--net", "--"];
const ADDRESSES =
  "ip link set lo up && ip addr add 169.254.169.254/32 dev lo && ip -6 addr add fd00:ec2::254/128 dev lo";
const canMakeNamespace =
  hasSandbox && spawnSync("unshare", [...NAMESPACE, "sh", "-c", ADDRESSES], { timeout: 10_000 }).status === 0;
const NAMESPACE_ADVICE =
  hasSandbox && !canMakeNamespace
    ? " (needs iproute2, util-linux and the right to make namespaces)"
    : SANDBOX_ADVICE;

interface Report {
  /** The stand-in's answer to this process itself, which proves that it is there. */
  control: string[];
  /** The script's report on each way that it tried, run by an agent that allows private addresses. */
  lines: string[];
  /** Requests that reached the stand-in beside the control's. */
  reached: string[];
  /** The message of the error that ended the script before its end, or "". */
  error: string;
}

describe.runIf(canMakeNamespace)(`cloud metadata, where it could be reached${NAMESPACE_ADVICE}`, () => {
  let bundle: Awaited<ReturnType<typeof bundleForChild>>;
  let child: RunningProcess;
  let report: Report;

  beforeAll(async () => {
    const source = fileURLToPath(new URL("../harness/metadata-attack.ts", import.meta.url));
    bundle = await bundleForChild("metadata-attack", `import ${JSON.stringify(source)};`);
    const command = `${ADDRESSES} && exec ${process.execPath} ${bundle.path}`;
    const { SVC_BROWSER_PATH } = process.env;
    child = startProgram(
      "unshare",
      [...NAMESPACE, "sh", "-c", command],
      SVC_BROWSER_PATH === undefined ? {} : { SVC_BROWSER_PATH },
    );
    await child.ended;
    const line = /^report (.*)$/m.exec(child.output())?.[1];
    if (line === undefined) throw new Error(`the attack did not come to its end:\n${child.output()}`);
    report = JSON.parse(line) as Report;
  });

  afterAll(async () => {
    await child?.kill9();
    bundle?.remove();
  });

  it("there is something that answers at the addresses of the metadata services", () => {
    expect(report.control).toEqual(["credentials of the machine", "credentials of the machine"]);
  });

  it("no way of a script's or page's leads there, even where private addresses are allowed", () => {
    expect(report.error).toBe("");
    expect(report.lines.length).toBe(24);
    expect(report.lines.filter((line) => !line.endsWith(" refused"))).toEqual([]);
    expect(report.reached).toEqual([]);
  });
});
