/** What of a browser this machine has; tests that need more of it are left out, with the way to have it in their title. */
import { BrowserMissing, checkSandbox, findBrowser } from "@svc/probes/browser";

export const hasBrowser = lookForBrowser();
export const hasSandbox = hasBrowser && checkSandbox().problem === undefined;

/** Ends the title of a suite that is left out. */
export const BROWSER_ADVICE = hasBrowser
  ? ""
  : " (install Debian's package chromium-headless-shell to have it)";
export const SANDBOX_ADVICE = hasSandbox
  ? ""
  : " (install Debian's packages chromium-headless-shell and bubblewrap to have it)";

function lookForBrowser(): boolean {
  try {
    findBrowser(process.env.SVC_BROWSER_PATH, process.env);
    return true;
  } catch (error) {
    if (error instanceof BrowserMissing) return false;
    throw error;
  }
}
