import { execFile } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { ROOT } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";

const METRICS = `# HELP svc_location_wanted_runners Runners that a location wants, for an autoscaler.
# TYPE svc_location_wanted_runners gauge
svc_location_wanted_runners{location="loc_a",kind="private"} 2
svc_location_wanted_runners{location="loc_ab",kind="private"} 9
svc_location_wanted_runners{location="loc_idle",kind="hosted"} 0
svc_location_live_runners{location="loc_a",kind="private"} 1
`;

/** Runs the script against these metrics, with a systemctl that notes what it is told. */
async function scale(args: string[], metrics: string | null = METRICS) {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const noted = join(path, "noted");
  writeFileSync(join(path, "systemctl"), `#!/bin/sh\necho "$1 $3" >> ${noted}\n`);
  chmodSync(join(path, "systemctl"), 0o755);
  const server = createServer((_, response) =>
    metrics === null ? response.writeHead(503).end() : response.end(metrics),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  const script = join(ROOT, "deploy/systemd/scale-runners.sh");
  const env = { PATH: `${path}:${process.env.PATH}` };
  const { code, stderr } = await new Promise<{ code: number; stderr: string }>((resolve) =>
    execFile("sh", [script, url, ...args], { env }, (error, _stdout, text) =>
      resolve({ code: error ? Number(error.code) : 0, stderr: text }),
    ),
  );
  const told = existsSync(noted) ? readFileSync(noted, "utf8").trim().split("\n") : [];
  return { code, stderr, told };
}

describe("scale-runners.sh", () => {
  it.each([
    [
      "as many as the location wants",
      ["loc_a", "3"],
      ["start svc-runner@1", "start svc-runner@2", "stop svc-runner@3"],
    ],
    ["one where none is wanted", ["loc_idle", "2"], ["start svc-runner@1", "stop svc-runner@2"]],
    ["no more than MAX", ["loc_ab", "2"], ["start svc-runner@1", "start svc-runner@2"]],
  ])("runs %s", async (_, args, told) => {
    expect(await scale(args)).toMatchObject({ code: 0, told });
  });

  it.each<[string, string[], string | null, string]>([
    ["without an answer", ["loc_a", "3"], null, "can't be read; nothing was changed"],
    [
      "without a number of the location",
      ["loc_x", "3"],
      METRICS,
      "has no svc_location_wanted_runners of loc_x",
    ],
    ["with a MAX that is no number", ["loc_a", "many"], METRICS, 'MAX is "many"'],
    ["with a MAX of 0", ["loc_a", "0"], METRICS, 'MAX is "0"'],
    ["with something else than a location", [".*", "3"], METRICS, "expected loc_..."],
    ["without MAX", ["loc_a"], METRICS, "expected three arguments"],
  ])("changes nothing %s, and says why", async (_, args, metrics, message) => {
    const { code, stderr, told } = await scale(args, metrics);
    expect([code, told]).toEqual([1, []]);
    expect(stderr).toContain(message);
  });
});

describe("deploy/kubernetes", () => {
  const folder = join(ROOT, "deploy/kubernetes");
  const documents = Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      parseAllDocuments(readFileSync(join(folder, name), "utf8"), { uniqueKeys: true }).map((one) => {
        expect(one.errors, name).toEqual([]);
        return one.toJS();
      }),
    ]),
  );

  it("runs the agent with settings that it has, and gives it time to drain", () => {
    const [{ kind, spec }] = documents["runner.yaml"] as [{ kind: string; spec: { template: object } }];
    expect(kind).toBe("StatefulSet");
    const pod = spec.template as { spec: { terminationGracePeriodSeconds: number; containers: object[] } };
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(35);
    const [{ env }] = pod.spec.containers as [{ env: { name: string }[] }];
    const settings = readFileSync(join(ROOT, "runner-agent/src/base/config.ts"), "utf8");
    for (const { name } of env) expect(settings).toContain(`${name}: z`);
  });

  it("scales that set, by the metric that the control plane has", () => {
    const jobs = readFileSync(join(ROOT, "control-plane/src/overview/capacity/scaling/jobs.ts"), "utf8");
    const [set] = documents["runner.yaml"] as [{ metadata: { name: string } }];
    for (const name of ["scale-by-keda.yaml", "scale-by-hpa.yaml"]) {
      const [scaler] = documents[name] as [{ spec: { scaleTargetRef: { kind: string; name: string } } }];
      expect(scaler.spec.scaleTargetRef).toMatchObject({ kind: "StatefulSet", name: set.metadata.name });
      const [metric] = /svc_location_\w+/.exec(JSON.stringify(scaler)) ?? [];
      expect(jobs).toContain(`"${metric}"`);
    }
  });
});
