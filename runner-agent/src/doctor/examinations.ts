/** Examinations of the machine on which an agent runs or is to run. None of them changes anything there. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { Code, type ConnectError } from "@connectrpc/connect";
import { type Examination, type Finding, found } from "@svc/contract";
import { capabilitiesWith } from "@svc/probes";
import { IPV6_REMEDY } from "../agent/abilities.ts";
import { openBrowserOrReason } from "../agent/open-browser.ts";
import type { Config } from "../base/config.ts";
import type { Machine } from "../base/machine.ts";
import { findSpaceShortage, RESULTS_RESERVE_BYTES } from "../disk/disk-space.ts";
import { hasRoute } from "../network/routes.ts";
import { askControlPlane, type ControlPlaneAnswer } from "./ask-control-plane.ts";

/** The settings of an agent, and the machine. */
export interface AgentPatient {
  config: Config;
  machine: Machine;
  /** Returns what the control plane answers; asked once for all examinations. */
  answer: () => Promise<ControlPlaneAnswer>;
}

/** Returns the patient that has these settings. */
export function agentPatient(config: Config, machine: Machine): AgentPatient {
  let answer: Promise<ControlPlaneAnswer> | undefined;
  return {
    config,
    machine,
    answer: () => {
      answer ??= askControlPlane(config, machine);
      return answer;
    },
  };
}

/** All examinations, in the order in which their findings are shown. */
export const AGENT_EXAMINATIONS: readonly Examination<AgentPatient>[] = [
  { area: "connection", examine: examineConnection },
  { area: "clock", examine: examineClock },
  { area: "disk", examine: examineDisk },
  { area: "network", examine: examineNetwork },
  { area: "programs", examine: examinePrograms },
  { area: "browser", examine: examineBrowser },
];

async function examineConnection({ config, answer }: AgentPatient): Promise<Finding[]> {
  const { controlPlaneUrl } = config;
  const { error } = await answer();
  // The document that was asked for does not exist: that answer is given only to who has a valid key.
  if (error.code === Code.NotFound)
    return [found.ok(`the control plane at ${controlPlaneUrl} answers, and takes the runner key`)];
  if (error.code === Code.Unauthenticated || error.code === Code.PermissionDenied)
    return [
      found.problem(
        `the control plane at ${controlPlaneUrl} refuses the runner key: ${error.rawMessage}`,
        "make a new key for the location, and give it as SVC_RUNNER_KEY",
      ),
    ];
  return [
    found.problem(
      `the control plane at ${controlPlaneUrl} can't be used: ${error.rawMessage}`,
      remedyOf(error),
    ),
  ];
}

/** Advice by the system's or OpenSSL's code of the failure. */
const CONNECTION_REMEDIES: Record<string, string> = {
  ECONNREFUSED:
    "check host and port in SVC_CONTROL_PLANE_URL: it is the runners' port (8081), not that of the dashboard",
  ENOTFOUND: "correct the host name in SVC_CONTROL_PLANE_URL, or this machine's DNS",
  EAI_AGAIN: "look at this machine's DNS, which does not answer",
  SELF_SIGNED_CERT_IN_CHAIN: "name the authority that signed the certificate in SVC_RUNNER_CA_FILE",
  DEPTH_ZERO_SELF_SIGNED_CERT: "name the certificate in SVC_RUNNER_CA_FILE",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "name the authority that signed the certificate in SVC_RUNNER_CA_FILE",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "name the authority that signed the certificate in SVC_RUNNER_CA_FILE",
  ERR_TLS_CERT_ALTNAME_INVALID: "use the name that is in the certificate in SVC_CONTROL_PLANE_URL",
  CERT_HAS_EXPIRED: "renew the control plane's certificate; if it is valid, set this machine's clock",
  CERT_NOT_YET_VALID: "set this machine's clock",
  ERR_SSL_WRONG_VERSION_NUMBER: "use http:// in SVC_CONTROL_PLANE_URL: that port is not encrypted",
};

function remedyOf({ cause }: ConnectError): string {
  const { code = "" } = (cause ?? {}) as NodeJS.ErrnoException;
  return (
    CONNECTION_REMEDIES[code] ??
    "check SVC_CONTROL_PLANE_URL (http or https, the runners' port), and look for a firewall or a proxy that does not speak HTTP/2"
  );
}

/** Skew from which the operator is warned, ms. The Date of the answer has whole seconds. */
const SKEW_WARNED_MS = 3_000;

async function examineClock({ answer }: AgentPatient): Promise<Finding[]> {
  const { clockOffsetMs } = await answer();
  if (clockOffsetMs === undefined) return [found.skipped("the control plane's answer has no time")];
  if (Math.abs(clockOffsetMs) < SKEW_WARNED_MS)
    return [found.ok("this clock agrees with the control plane's")];
  const side = clockOffsetMs > 0 ? "behind" : "ahead of";
  return [
    found.warning(
      `this clock is ${(Math.abs(clockOffsetMs) / 1000).toFixed(1)} s ${side} the control plane's; checks follow the control plane's`,
      "let chrony or systemd-timesyncd keep the clock",
    ),
  ];
}

async function examineDisk({ config }: AgentPatient): Promise<Finding[]> {
  const folder = config.sharedDataDir;
  const existing = existingFolder(folder);
  try {
    accessSync(existing, constants.W_OK);
  } catch {
    return [
      found.problem(
        `this account may not write to ${existing}, where the data folder is to be`,
        "run the agent as the account that owns the folder, or name another one in SVC_RUNNER_DATA_DIR",
      ),
    ];
  }
  const shortage = findSpaceShortage(existing, RESULTS_RESERVE_BYTES);
  if (shortage !== undefined)
    return [
      found.problem(
        `${folder}: ${shortage}`,
        "free space, or name a folder on another disk in SVC_RUNNER_DATA_DIR",
      ),
    ];
  return [found.ok(`the data folder ${folder} can be written to, and has space`)];
}

/** Returns the folder itself or, before the first start, the nearest one above it. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}

async function examineNetwork({ config }: AgentPatient): Promise<Finding[]> {
  const [hasIpv4, hasIpv6] = await Promise.all([hasRoute(4), hasRoute(6)]);
  const families = [
    hasIpv4
      ? found.ok("there is a route to IPv4 addresses")
      : found.warning(
          "there is no route to IPv4 addresses: most targets can't be reached",
          "give this machine a default route",
        ),
    hasIpv6
      ? found.ok("there is a route to IPv6 addresses")
      : found.warning(
          "there is no route to IPv6 addresses: targets that have no other can't be reached",
          IPV6_REMEDY,
        ),
  ];
  const policy = {
    true: "checks may reach private addresses (SVC_EGRESS_PRIVATE=allow)",
    false: "checks may not reach private addresses (SVC_EGRESS_PRIVATE=deny)",
    undefined:
      "checks may reach private addresses if the key is of a private location (SVC_EGRESS_PRIVATE is not set)",
  }[`${config.isPrivateEgressAllowed}`];
  return [...families, found.ok(policy)];
}

/** Tries out the check types that need a program of the system. */
async function examinePrograms(): Promise<Finding[]> {
  const { missing } = await capabilitiesWith({});
  if (missing.length === 0)
    return [found.ok("checks that need a program of the system, such as ping, are run")];
  return missing.map(({ type, reason }) =>
    found.warning(
      `no ${type} checks are run here: ${reason}`,
      "do what the reason says; other checks are run meanwhile",
    ),
  );
}

async function examineBrowser({ config }: AgentPatient): Promise<Finding[]> {
  const warnings: string[] = [];
  const { browser, reason } = openBrowserOrReason(config, (message) => warnings.push(message));
  await browser?.close();
  if (!browser)
    return [
      config.browserMemoryBytes === 0
        ? found.skipped("browser checks are switched off (SVC_BROWSER_MEMORY_BYTES=off)")
        : found.warning(
            `no browser checks are run here: ${reason}`,
            "do what the reason says; other checks are run meanwhile",
          ),
    ];
  const { executablePath } = browser.browser;
  return [
    found.ok(`browser checks are run with ${executablePath}, ${browser.pagesMax} at a time`),
    ...(browser.sandboxProblem === undefined
      ? []
      : [
          found.warning(
            `they are run without a sandbox: a hostile script can do what this account can (${browser.sandboxProblem})`,
            "unset SVC_BROWSER_UNSANDBOXED_SCRIPTS, or run only targets and scripts that you trust",
          ),
        ]),
    ...warnings.map((message) => found.warning(message, "look at the message")),
  ];
}
