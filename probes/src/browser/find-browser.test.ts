import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrowserMissing, browserPathsOf, findBrowser } from "./find-browser.ts";

const playwright = createRequire(createRequire(import.meta.url).resolve("playwright/package.json"));

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-find-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An executable file of this name below the test's folder. */
function program(...names: string[]): string {
  const path = join(folder, ...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

/** Playwright's own download of its revision, or of another. */
function download(revision = revisionOf("chromium-headless-shell")): string {
  return program(`downloads`, `chromium_headless_shell-${revision}`, "chrome-linux", "headless_shell");
}

function revisionOf(name: string): string {
  const catalogue = join(dirname(playwright.resolve("playwright-core/package.json")), "browsers.json");
  const { browsers } = JSON.parse(readFileSync(catalogue, "utf8")) as {
    browsers: { name: string; revision: string }[];
  };
  return browsers.find((browser) => browser.name === name)?.revision as string;
}

const environment = () => ({
  PATH: join(folder, "bin"),
  PLAYWRIGHT_BROWSERS_PATH: join(folder, "downloads"),
});

describe("findBrowser", () => {
  it("the setting comes before everything else", () => {
    const own = program("own", "chrome");
    download();
    program("bin", "chromium");
    expect(findBrowser(own, environment())).toMatchObject({ executablePath: own, source: "setting" });
  });

  it("Playwright's own download comes before the system's browser", () => {
    const downloaded = download();
    program("bin", "chromium");
    expect(findBrowser(undefined, environment())).toMatchObject({
      executablePath: downloaded,
      source: "playwright",
    });
  });

  it("a download of another revision is not used", () => {
    download("1");
    const system = program("bin", "chromium");
    expect(findBrowser(undefined, environment())).toMatchObject({ executablePath: system, source: "system" });
  });

  it("of the system's browsers the headless shell comes first", () => {
    program("bin", "chromium");
    const shell = program("bin", "chromium-headless-shell");
    expect(findBrowser(undefined, environment()).executablePath).toBe(shell);
  });

  it("a setting that names no executable is an error, not a reason to look elsewhere", () => {
    program("bin", "chromium");
    const setting = join(folder, "none");
    expect(() => findBrowser(setting, environment())).toThrow(
      `SVC_BROWSER_PATH is ${setting}, which is no executable`,
    );
  });

  it("when there is none, it is said how to get one", () => {
    expect(() => findBrowser(undefined, environment())).toThrow(BrowserMissing);
    expect(() => findBrowser(undefined, environment())).toThrow(
      /install Debian's package chromium-headless-shell/,
    );
  });

  it("finds ffmpeg on the PATH, and does without", () => {
    program("bin", "chromium");
    expect(findBrowser(undefined, environment()).ffmpegPath).toBeUndefined();
    const ffmpeg = program("bin", "ffmpeg");
    expect(findBrowser(undefined, environment()).ffmpegPath).toBe(ffmpeg);
  });
});

it.each([
  ["linux", "/home/me", {}, "/home/me/.cache/ms-playwright", "google-chrome"],
  [
    "darwin",
    "/Users/me",
    {},
    "/Users/me/Library/Caches/ms-playwright",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  [
    "win32",
    "C:\\Users\\me",
    {},
    "C:\\Users\\me\\AppData\\Local\\ms-playwright",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  ],
  [
    "win32",
    "C:\\Users\\me",
    { LOCALAPPDATA: "D:\\local", PROGRAMFILES: "D:\\programs" },
    "D:\\local\\ms-playwright",
    "D:\\programs\\Microsoft\\Edge\\Application\\msedge.exe",
  ],
] as const)("on %s of %s with %j: downloads in %s, and %s", (platform, home, given, downloads, browser) => {
  const paths = browserPathsOf(platform, home, given);
  expect(paths.downloads).toBe(downloads);
  expect(paths.browsers).toContain(browser);
});
