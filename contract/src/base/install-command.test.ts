import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { agentPackageUrl, INSTALL_METHODS, installText, runnerOrigin } from "./install-command.ts";

it.each([
  [
    "https://svc.example.com",
    "/install/svc-runner-agent-1.0.0.tgz",
    "https://svc.example.com/install/svc-runner-agent-1.0.0.tgz",
  ],
  ["http://[::1]:8080", "/install/a.tgz", "http://[::1]:8080/install/a.tgz"],
  ["https://svc.example.com", null, undefined],
  ["https://svc.example.com", undefined, undefined],
  ["https://svc.example.com", "/install/a.tgz;rm -rf .tgz", undefined],
  ["https://svc.example.com", "//elsewhere.example.com/a.tgz", undefined],
  ["https://svc.example.com", "/install/../api.tgz", undefined],
  ["no address", "/install/a.tgz", undefined],
])("of %s, %s: %s", (api, path, expected) => {
  expect(agentPackageUrl(api, path)).toBe(expected);
});

it("a host with characters that a shell acts on is no origin", () => {
  expect(runnerOrigin("https://a$(id).example.com")).toBeUndefined();
});

it.each(
  INSTALL_METHODS.flatMap((method) => [
    [method, undefined] as const,
    [method, "http://svc:8080/install/a.tgz"] as const,
  ]),
)("%s with the package %s is one block that a shell takes", (method, packageUrl) => {
  const text = installText(method, { runnerUrl: "http://svc:8081", key: `rk_${"0".repeat(64)}`, packageUrl });
  const { status, stderr } = spawnSync("sh", ["-n"], { input: text, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(text.includes(packageUrl ?? "no package")).toBe(packageUrl !== undefined);
});
