/**
 * Finds the browser for browser checks, in this order: the setting, Playwright's own download, a Chromium of the
 * system. The headless shell is preferred, since it takes half the memory and time. Also finds ffmpeg, without which
 * there are no videos.
 */
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, posix, win32 } from "node:path";
import { fileURLToPath } from "node:url";

/** A browser of this machine and, where there is one, the ffmpeg that makes its videos. */
export interface FoundBrowser {
  executablePath: string;
  source: "setting" | "playwright" | "system";
  /** Path of ffmpeg; undefined: no videos. */
  ffmpegPath: string | undefined;
  /** The name of ffmpeg's folder among Playwright's browsers. */
  ffmpegFolder: string;
}

/** Says that no browser was found, and how to get one. */
export class BrowserMissing extends Error {}

/** Differences between systems: where Playwright keeps its browsers, and how programs are called. */
interface BrowserPaths {
  downloads: string;
  ffmpeg: string;
  /** Browsers of the system: paths, or names that are looked for on the PATH. */
  browsers: readonly string[];
  /** Ending of programs. */
  ending: string;
}

/**
 * Returns where things are on a system; Playwright's folders are those that its documentation names.
 * @param home the person's home folder
 */
export function browserPathsOf(
  platform: NodeJS.Platform,
  home: string,
  environment: Record<string, string | undefined>,
): BrowserPaths {
  if (platform === "darwin")
    return {
      downloads: posix.join(home, "Library", "Caches", "ms-playwright"),
      ffmpeg: "ffmpeg-mac",
      browsers: [
        "chromium",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      ],
      ending: "",
    };
  if (platform === "win32") {
    const local = environment.LOCALAPPDATA ?? win32.join(home, "AppData", "Local");
    const programs = environment.PROGRAMFILES ?? "C:\\Program Files";
    return {
      downloads: win32.join(local, "ms-playwright"),
      ffmpeg: "ffmpeg-win64.exe",
      browsers: [
        "chromium.exe",
        win32.join(programs, "Google", "Chrome", "Application", "chrome.exe"),
        win32.join(programs, "Microsoft", "Edge", "Application", "msedge.exe"),
      ],
      ending: ".exe",
    };
  }
  return {
    downloads: posix.join(home, ".cache", "ms-playwright"),
    ffmpeg: "ffmpeg-linux",
    browsers: ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"],
    ending: "",
  };
}

/**
 * Finds the browser.
 * @param setting path of a Chromium's executable; undefined: look for one
 * @throws BrowserMissing
 */
export function findBrowser(
  setting: string | undefined,
  environment: Record<string, string | undefined>,
): FoundBrowser {
  const ffmpegFolder = `ffmpeg-${playwrightRevision("ffmpeg")}`;
  const paths = browserPathsOf(process.platform, homedir(), environment);
  const downloads = environment.PLAYWRIGHT_BROWSERS_PATH ?? paths.downloads;
  const ffmpegPath =
    executable(join(downloads, ffmpegFolder, paths.ffmpeg)) ??
    onPath(`ffmpeg${paths.ending}`, environment.PATH);
  const found = { ffmpegPath, ffmpegFolder };
  if (setting !== undefined) {
    const executablePath = executable(setting);
    if (executablePath === undefined)
      throw new BrowserMissing(`SVC_BROWSER_PATH is ${setting}, which is no executable file; ${advice()}`);
    return { executablePath, source: "setting", ...found };
  }
  const downloaded = downloadedIn(downloads, paths);
  if (downloaded !== undefined) return { executablePath: downloaded, source: "playwright", ...found };
  for (const browser of paths.browsers) {
    const executablePath = isAbsolute(browser) ? executable(browser) : onPath(browser, environment.PATH);
    if (executablePath !== undefined) return { executablePath, source: "system", ...found };
  }
  throw new BrowserMissing(`no Chromium was found; ${advice()}`);
}

/** Returns the revision of a part, such as ffmpeg, that belongs to this version of Playwright. */
function playwrightRevision(name: string): string {
  const { browsers } = JSON.parse(readFileSync(join(playwrightFolder(), "browsers.json"), "utf8")) as {
    browsers: { name: string; revision: string }[];
  };
  return browsers.find((browser) => browser.name === name)?.revision ?? "";
}

/** Built, what is needed of Playwright lies with the driver, and no package of it is installed. */
function playwrightFolder(): string {
  if (!import.meta.url.endsWith(".ts")) return fileURLToPath(new URL("./browser-driver/", import.meta.url));
  const playwright = createRequire(createRequire(import.meta.url).resolve("playwright/package.json"));
  return dirname(playwright.resolve("playwright-core/package.json"));
}

/** The download that fits names Playwright's version: that of another one is not looked for. */
function advice(): string {
  const { version } = JSON.parse(readFileSync(join(playwrightFolder(), "package.json"), "utf8")) as {
    version: string;
  };
  return `install Debian's package chromium-headless-shell, or run \`npx playwright@${version} install chromium-headless-shell\`, or set SVC_BROWSER_PATH to a Chromium`;
}

/** The program in Playwright's download of Chromium for macOS. */
const MAC_CHROMIUM = "Chromium.app/Contents/MacOS/Chromium";

/** Returns the browser of this Playwright's revision. The download of another one may not work with it. */
function downloadedIn(folder: string, { ending }: BrowserPaths): string | undefined {
  if (!existsSync(folder)) return undefined;
  for (const name of ["chromium-headless-shell", "chromium"]) {
    const root = join(folder, `${name.replaceAll("-", "_")}-${playwrightRevision(name)}`);
    if (!existsSync(root)) continue;
    for (const platform of readdirSync(root))
      for (const file of ["chrome-headless-shell", "headless_shell", "chrome", MAC_CHROMIUM]) {
        const path = executable(join(root, platform, file + ending));
        if (path !== undefined) return path;
      }
  }
  return undefined;
}

function onPath(name: string, path: string | undefined): string | undefined {
  for (const folder of (path ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter)) {
    const found = executable(join(folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
