/** Examines the ways out: where checks, webhooks and exports may go, and whether addresses in the settings can be reached. */
import net from "node:net";
import tls from "node:tls";
import { type Finding, found } from "@svc/contract";
import { createEgress } from "@svc/egress";
import type { Config } from "../../platform/config.ts";
import type { Patient } from "./patient.ts";
import { reachAll } from "./reach.ts";

/** Returns the policy, and what came of each address. */
export async function examineEgress(patient: Patient, signal: AbortSignal): Promise<Finding[]> {
  const { config } = patient;
  const configured = addressesOf(config);
  const [connections, reached] = await Promise.all([
    Promise.all(configured.map((address) => connectTo(address, signal))),
    reachAll(patient, signal),
  ]);
  return [
    found.ok(
      `checks, webhooks and exports of hosted locations ${config.egressPrivate === "allow" ? "may" : "may not"} reach private addresses (SVC_EGRESS_PRIVATE=${config.egressPrivate})`,
    ),
    ...connections,
    ...reached.map(({ url, status, reason }) =>
      status === undefined
        ? found.problem(
            `${hostOf(url)} can't be reached: ${reason}`,
            "look at the reason: name, policy, firewall or proxy",
          )
        : found.ok(`${hostOf(url)} answers with ${status}`),
    ),
    ...(configured.length + reached.length === 0
      ? [found.skipped("no address outside is in the settings; try one with --reach https://...")]
      : []),
  ];
}

/** An address in the settings. */
interface ConfiguredAddress {
  variable: string;
  url: string;
}

function addressesOf(config: Config): ConfiguredAddress[] {
  const addresses: [string, string | undefined][] = [
    ["SVC_HEARTBEAT_URL", config.heartbeatUrl],
    ["SVC_OIDC_ISSUER", config.oidcIssuer],
    ["SVC_LLM_BASE_URL", config.languageModel?.baseUrl],
    ["SVC_PAGING_BASE_URL", config.pagingBaseUrl],
  ];
  return [
    ...addresses.flatMap(([variable, url]) => (url ? [{ variable, url }] : [])),
    ...config.otel.endpoints,
  ];
}

/** Connects, with TLS where the URL says so, and requests nothing: a request of a dead man's switch is a sign of life. */
async function connectTo({ variable, url }: ConfiguredAddress, signal: AbortSignal): Promise<Finding> {
  const { hostname, protocol, port } = new URL(url);
  const isTls = protocol === "https:";
  const egress = createEgress({ allowPrivate: true });
  let socket: net.Socket | undefined;
  try {
    const addresses = await egress.pin(hostname);
    socket = await egress.dial({ hostname, addresses, port: Number(port) || (isTls ? 443 : 80) }, signal);
    if (isTls) await handshake(socket, hostname, signal);
    return found.ok(`${hostOf(url)} of ${variable} takes connections`);
  } catch (error) {
    return found.problem(
      `${hostOf(url)} of ${variable} can't be reached: ${(error as Error).message}`,
      `correct ${variable}, or let this machine connect there`,
    );
  } finally {
    socket?.destroy();
  }
}

function handshake(socket: net.Socket, hostname: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const servername = net.isIP(hostname) ? undefined : hostname;
    const secure = tls.connect({ socket, ...(servername ? { servername } : {}), host: hostname });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    secure.once("secureConnect", resolve);
    secure.once("error", reject);
  });
}

/** Host and port of a URL, without what may be a credential in it. */
function hostOf(url: string): string {
  return new URL(url).host;
}
