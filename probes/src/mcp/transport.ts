/** The SDK's transport, watched. The SDK itself would wait for ever for a server whose answer answers nothing. */
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** The SDK's HTTP transport, which also reports when an answer ended without answering its request. */
export class WatchedTransport extends StreamableHTTPClientTransport {
  readonly #onSent: () => void;
  /** The request that has no answer yet. There is one at a time. */
  #pendingId: RequestId | undefined;

  /** @param onSent called when a request was sent and its answer, received whole, was handed over */
  constructor(url: URL, options: StreamableHTTPClientTransportOptions, onSent: () => void) {
    super(url, options);
    this.#onSent = onSent;
    // The client keeps this listener and calls it before its own.
    this.onmessage = (message) => {
      if ("id" in message && !("method" in message) && message.id === this.#pendingId)
        this.#pendingId = undefined;
    };
  }

  get pendingId(): RequestId | undefined {
    return this.#pendingId;
  }

  override async send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: TransportSendOptions,
  ): Promise<void> {
    const isRequest = !Array.isArray(message) && "method" in message && "id" in message;
    if (isRequest) this.#pendingId = message.id;
    await super.send(message, options);
    if (isRequest) this.#onSent();
  }
}
