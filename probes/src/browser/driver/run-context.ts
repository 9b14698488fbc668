/** Opens the browser contexts of a run, with the settings of its check. */
import { type Browser, type BrowserContext, type BrowserContextOptions, devices } from "playwright";
import type { PageSettings, RunCommand } from "../protocol/messages.ts";
import type { TraceHeader } from "./trace-header.ts";

/** The parts of a run that its contexts depend on. */
export interface ContextParts {
  browser: Browser;
  command: RunCommand;
  /** Loopback port of the way out. */
  proxyPort: number;
  traceHeader: TraceHeader;
}

/**
 * Opens a context whose traffic takes the run's way out. The check's settings apply where the options don't say
 * otherwise.
 */
export async function newContext(
  parts: ContextParts,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await parts.browser.newContext({
    ...contextOptions(parts.command.job.settings),
    ...options,
    acceptDownloads: false,
    proxy: { server: `http://127.0.0.1:${parts.proxyPort}`, bypass: "<-loopback>" },
  });
  const openPage = context.newPage.bind(context);
  // The first navigation follows at once, and is to carry the header.
  context.newPage = async () => {
    const page = await openPage();
    await parts.traceHeader.attach(page);
    return page;
  };
  return context;
}

function contextOptions(settings: PageSettings): BrowserContextOptions {
  const { defaultBrowserType: _, ...device } = (settings.device ? devices[settings.device] : undefined) ?? {
    defaultBrowserType: "chromium",
  };
  return {
    ...device,
    viewport: sizeOf(settings),
    ...(settings.userAgent === null ? {} : { userAgent: settings.userAgent }),
    ...(settings.proxyStandsIn && { ignoreHTTPSErrors: true }),
  };
}

/** Returns the size of the page: the check's own, else that of its device. */
export function sizeOf(settings: PageSettings): { width: number; height: number } {
  const ofDevice = settings.device === null ? undefined : devices[settings.device]?.viewport;
  return settings.isViewportSet ? settings.viewport : (ofDevice ?? settings.viewport);
}
