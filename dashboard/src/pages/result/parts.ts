/** The parts of a result's page that only results of some check types have. To add one: its file beside this one, one line here. */
import type { resultRoutes } from "@svc/contract";
import type { ComponentType } from "react";
import type { Answer } from "../../api/request.ts";
import { RunParts } from "../../evidence/run-parts.tsx";
import { AgentParts } from "./agent-parts.tsx";
import { DnsParts } from "./dns-parts.tsx";
import { GrpcParts } from "./grpc-parts.tsx";
import { HeartbeatParts } from "./heartbeat-parts.tsx";
import { McpParts } from "./mcp-parts.tsx";
import { MultistepParts } from "./multistep-parts.tsx";
import { PingParts } from "./ping-parts.tsx";
import { TcpParts } from "./tcp-parts.tsx";
import { TlsParts } from "./tls-parts.tsx";
import { WebsocketParts } from "./websocket-parts.tsx";

/** Shows what a result has of a part; nothing when it has none of it. */
type ResultPart = ComponentType<{ result: Answer<typeof resultRoutes.get>["result"] }>;

/** The parts, in their order on the page. */
export const RESULT_PARTS: readonly { name: string; Part: ResultPart }[] = [
  { name: "run", Part: RunParts },
  { name: "mcp", Part: McpParts },
  { name: "tcp", Part: TcpParts },
  { name: "tls", Part: TlsParts },
  { name: "dns", Part: DnsParts },
  { name: "grpc", Part: GrpcParts },
  { name: "websocket", Part: WebsocketParts },
  { name: "ping", Part: PingParts },
  { name: "heartbeat", Part: HeartbeatParts },
  { name: "multistep", Part: MultistepParts },
  { name: "agents", Part: AgentParts },
];
