import { describe, expect, it } from "vitest";
import { findFolderProblem, sandboxArguments } from "./sandbox.ts";

const FOLDERS = {
  driverEntry: "/app/dist/browser-driver/start.cjs",
  socketFolder: "/tmp/sockets",
  browserPath: "/usr/bin/chromium",
  ffmpegPath: undefined,
  ffmpegFolder: "ffmpeg",
  temporaryBytesMax: 1,
  privateFolders: [],
};

/** The paths that the arguments make visible or empty, by the option. */
function mounted(option: string, changes: Partial<typeof FOLDERS & { privateFolders: string[] }>): string[] {
  const list = sandboxArguments({ ...FOLDERS, ...changes });
  return list.flatMap((argument, index) => (argument === option ? [list[index + 1] as string] : []));
}

describe("the box", () => {
  it("shows no folder of the system in which an agent may be installed", () => {
    const shown = [...mounted("--ro-bind", {}), ...mounted("--ro-bind-try", {})];
    for (const path of ["/", "/usr", "/usr/src", "/usr/local", "/root", "/home", "/etc"])
      expect(shown).not.toContain(path);
  });

  it("covers the agent's folders where they lie below a visible one", () => {
    const list = sandboxArguments({ ...FOLDERS, privateFolders: ["/usr/share/zoneinfo", "/var/lib/svc"] });
    const covered = list.flatMap((argument, index) => (argument === "--tmpfs" ? [list[index + 1]] : []));
    expect(covered).toContain("/usr/share/zoneinfo");
    expect(covered).not.toContain("/var/lib/svc");
    expect(list.indexOf("/usr/share/zoneinfo")).toBeGreaterThan(list.lastIndexOf("/usr/share"));
  });

  it("shows the driver without the path that it is installed under, which may lead through anybody's home", () => {
    const driverEntry = "/root/closed/svc/dist/browser-driver/start.cjs";
    const list = sandboxArguments({ ...FOLDERS, driverEntry });
    const at = list.indexOf("/root/closed/svc/dist/browser-driver");
    expect(list.slice(at - 1, at + 2)).toEqual([
      "--ro-bind",
      "/root/closed/svc/dist/browser-driver",
      "/svc/driver",
    ]);
    expect(list.slice(at + 1).filter((argument) => argument.startsWith("/root"))).toEqual([]);
    expect(list.at(-1)).toBe("/svc/driver/start.cjs");
  });
});

describe("the folder of a browser", () => {
  it.each([
    ["/chrome", []],
    ["/root/chrome", []],
    ["/home/alice/chrome", []],
    ["/opt/chrome", []],
    ["/usr/src/chrome", []],
    ["/srv/svc/chrome", ["/srv/svc/data"]],
    ["/srv/svc/data/chrome", ["/srv/svc/data"]],
  ])("that is not its own is refused: %s", (path, privateFolders) => {
    expect(findFolderProblem(path, privateFolders)).toContain("a folder of its own");
  });

  it.each([
    ["/usr/bin/chromium", ["/usr/lib/svc/data"]],
    ["/opt/google/chrome/chrome", []],
    ["/headless-shell/headless-shell", []],
    ["/home/alice/.cache/ms-playwright/chromium-1/chrome-linux/chrome", ["/home/alice/svc"]],
  ])("that is its own, or the system's, is shown: %s", (path, privateFolders) => {
    expect(findFolderProblem(path, privateFolders)).toBeUndefined();
  });
});
