/** Makes the job for a driver from a check's configuration. */
import type { BrowserConfig } from "@svc/contract";
import { PERSONAS } from "../personas/catalogue.ts";
import type { PageSettings, RunJob } from "./protocol/messages.ts";
import { translateScript } from "./script-source.ts";

const VIEWPORT_DEFAULT = { width: 1280, height: 720 };

/**
 * Returns the job of a check in url mode.
 * @throws Error for a check in scripted mode
 */
export function urlJob(config: BrowserConfig): RunJob {
  if (config.browserMode !== "url") throw new Error("not a check in url mode");
  return { kind: "url", url: config.url, settings: settingsOf(config) };
}

/**
 * Returns the job of a script.
 * @param isLimited true when the run has limits of its traffic
 * @throws ScriptInvalid
 */
export async function scriptJob(
  config: Extract<BrowserConfig, { browserMode: "scripted" }>,
  isLimited: boolean,
): Promise<RunJob> {
  const steps = (config.steps ?? []).map(({ name, timeoutMs, assertions }) => ({
    name,
    timeoutMs,
    isAsserted: (assertions ?? []).length > 0,
  }));
  const settings = settingsOf(config, isLimited);
  return { kind: "script", code: await translateScript(config.script), steps, settings };
}

function settingsOf(config: BrowserConfig, isLimited = false): PageSettings {
  const { viewport, device, screenshotMode, videoEnabled, agentView, timeoutMs, agentPersona } = config;
  return {
    viewport,
    isViewportSet: viewport.width !== VIEWPORT_DEFAULT.width || viewport.height !== VIEWPORT_DEFAULT.height,
    device: device ?? null,
    userAgent: agentPersona === undefined ? null : PERSONAS[agentPersona].userAgent,
    screenshotMode,
    videoEnabled,
    agentView,
    timeoutMs,
    isLimited,
    proxyStandsIn: isLimited || config.caCertificates !== undefined || config.clientCertificate !== undefined,
  };
}
