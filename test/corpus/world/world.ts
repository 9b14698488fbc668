/** Everything that the recorder's runs meet: name server, sites, MCP server, network. Loopback only. */
import type { Socket } from "node:net";
import net from "node:net";
import { setTimeout as sleepMs } from "node:timers/promises";
import { createEgress, type Egress, type EgressOptions } from "@svc/egress";
import { type Authority, anAuthority, aSelfSigned } from "../../../probes/test-support/certificates.ts";
import { type NameServerMode, startNameServer } from "./name-server.ts";
import { type SiteMode, startSites } from "./site.ts";
import { type Spoil, startToolServer, type ToolServer } from "./tool-server.ts";

/** The world before one run. A scenario changes what it breaks; before the next run all is well again. */
export interface World {
  names: NameServerMode;
  site: SiteMode;
  /** Time that the network takes to carry a connection attempt, ms. */
  connectDelayMs: number;
  /** True when the way from the location to the target carries nothing. */
  isCutOff: boolean;
  /** Certificates that no healthy site shows, by name. */
  readonly certificates: Record<
    "expired" | "otherHost" | "unknownIssuer" | "selfSigned" | "expiresSoon" | "expiresTomorrow",
    SiteMode["certificate"]
  >;
  /** Makes the MCP server's answers pass through this. */
  spoilTools(spoil: Spoil): void;
}

/** The running world. */
export interface RunningWorld {
  /** PEM of the authority that the checks trust. */
  authority: Authority;
  egress: Egress;
  /** Makes all well, and then breaks it so. */
  prepare(breaks: (world: World) => void): Promise<void>;
  close(): Promise<void>;
}

/** Starts the world. */
export async function startWorld(): Promise<RunningWorld> {
  const authority = await anAuthority("Shop Root");
  const stranger = await anAuthority("Unknown Root");
  const names = { names: ["shop.example", "*.example"] };
  const certificates = {
    expired: await authority.issue({ ...names, validFromDays: -30, validToDays: -0.25 }),
    otherHost: await authority.issue({ names: ["backend.internal"] }),
    unknownIssuer: await stranger.issue(names),
    selfSigned: await aSelfSigned({ ...names, validToDays: 60 }),
    expiresSoon: await authority.issue({ ...names, validToDays: 9.5 }),
    expiresTomorrow: await authority.issue({ ...names, validToDays: 1.2 }),
  };
  const nameServer = await startNameServer();
  const sites = await startSites(authority);
  let tools: ToolServer | undefined;
  const network = { connectDelayMs: 0, isCutOff: false };
  const connect: NonNullable<EgressOptions["connect"]> = ({ host, port, family }) => {
    if (network.isCutOff) return new net.Socket();
    if (network.connectDelayMs === 0) return net.connect({ host, port, family });
    const socket = new net.Socket();
    void sleepMs(network.connectDelayMs).then(
      () => socket.destroyed || socket.connect({ host, port, family }),
    );
    return socket;
  };
  return {
    authority,
    egress: createEgress({ allowPrivate: true, connect }),
    async prepare(breaks) {
      tools ??= await startToolServer();
      const toolServer = tools;
      const serveTools = (spoil?: Spoil): SiteMode["respond"] => {
        const respondAsTools = toolServer.respond(spoil);
        return (request, response) =>
          request.headers.host === "tools.example"
            ? respondAsTools(request, response)
            : sites.wellMode.respond(request, response);
      };
      const world: World = {
        names: { kind: "address", address: "127.0.0.1" },
        site: { ...sites.wellMode, respond: serveTools() },
        connectDelayMs: 0,
        isCutOff: false,
        certificates,
        spoilTools: (spoil) => {
          world.site.respond = serveTools(spoil);
        },
      };
      breaks(world);
      nameServer.mode = world.names;
      Object.assign(network, { connectDelayMs: world.connectDelayMs, isCutOff: world.isCutOff });
      await sites.set(world.site);
    },
    async close() {
      nameServer.close();
      await sites.close();
      await tools?.close();
    },
  };
}

/** Reads what comes and never answers. */
export function staySilent(socket: Socket): void {
  socket.resume();
}

/** Answers a TLS hello with the alert by which servers say that they speak no version in common. */
export function refuseVersion(socket: Socket): void {
  socket.once("data", () => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
}

/** Closes the connection as soon as something was received. */
export function hangUp(socket: Socket): void {
  socket.once("data", () => socket.destroy());
}
