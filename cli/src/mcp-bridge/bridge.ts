/** Carries messages between an MCP client and the service's MCP server, unchanged: the tools exist once, in the service. */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  InitializeResultSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";

/** Code of the protocol for a failure of the connection. */
const CONNECTION_FAILED = -32000;

/** Both ends of a bridge, and what it tells of. */
export interface BridgeParts {
  /** The client's end. */
  local: Transport;
  /** The service's end. */
  remote: Transport;
  /** Resolves when the client has gone. */
  gone: Promise<void>;
  /** Words a failure for the client and returns the text. */
  report(error: unknown): string;
}

/** Carries messages until the client has gone; what it asked before is still answered. */
export async function runBridge({ local, remote, gone, report }: BridgeParts): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const toClient = (message: JSONRPCMessage) => local.send(message).catch(() => undefined);
  local.onmessage = (message) => {
    const sent = remote.send(message).catch(async (error: unknown) => {
      const text = report(error);
      if (isJSONRPCRequest(message))
        await toClient({ jsonrpc: "2.0", id: message.id, error: { code: CONNECTION_FAILED, message: text } });
    });
    underWay.add(sent);
    void sent.finally(() => underWay.delete(sent));
  };
  remote.onmessage = (message) => {
    // The service keeps no sessions: each request after the first has to name the version that was agreed on.
    if (isJSONRPCResultResponse(message)) {
      const { data: agreed } = InitializeResultSchema.safeParse(message.result);
      if (agreed) remote.setProtocolVersion?.(agreed.protocolVersion);
    }
    void toClient(message);
  };
  local.onerror = report;
  await remote.start();
  await local.start();
  await gone;
  await Promise.all(underWay);
  await remote.close();
  await local.close();
}
