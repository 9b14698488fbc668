/** Captures the pictures: each page in both themes, at the size of a laptop's window. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "@svc/probes/browser";
import { chromium, type Page } from "playwright";
import { signIn } from "../harness/dashboard.ts";

/** A page to be pictured. */
export interface Shot {
  /** Name of the file, without theme and ending. */
  name: string;
  path: string;
  /** Resolves once the page shows what it is pictured for. */
  isReady(page: Page): Promise<unknown>;
}

/** Window sizes by the suffix of their files. */
const SIZES: Readonly<Record<string, { width: number; height: number }>> = {
  "": { width: 1280, height: 720 },
  "-1920": { width: 1920, height: 1080 },
  "-390": { width: 390, height: 844 },
};

/**
 * Captures each picture in light and dark and writes `<name>-<theme>.png` into a folder.
 * @param options.allSizes also captures them at 1920 x 1080 and at 390 x 844 pixels, each as far as it scrolls, for a look at the layout
 */
export async function captureShots(
  serviceUrl: string,
  shots: readonly Shot[],
  { folder, allSizes }: { folder: string; allSizes: boolean },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { executablePath } = findBrowser(process.env.SVC_BROWSER_PATH, process.env);
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  try {
    for (const theme of ["light", "dark"] as const) {
      const context = await browser.newContext({
        baseURL: serviceUrl,
        colorScheme: theme,
        reducedMotion: "reduce",
        timezoneId: "Europe/Berlin",
        locale: "en-GB",
      });
      const page = await context.newPage();
      await signIn(page);
      for (const [suffix, size] of Object.entries(SIZES)) {
        if (suffix !== "" && !allSizes) continue;
        await page.setViewportSize(size);
        for (const shot of shots) {
          await page.goto(shot.path);
          await shot.isReady(page);
          await page.screenshot({
            path: join(folder, `${shot.name}-${theme}${suffix}.png`),
            fullPage: allSizes,
          });
        }
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
}
