/**
 * Connects the browser, which only takes a proxy by TCP, with the agent's proxy behind a Unix socket. The sandbox has
 * no other network: loopback ends here, and nothing else listens on it.
 */
import { once } from "node:events";
import net from "node:net";

/**
 * Listens on a free loopback port and passes every connection on to the socket.
 * @returns the port
 */
export async function openBridge(socketPath: string): Promise<number> {
  const server = net.createServer({ allowHalfOpen: true }, (browserSide) => {
    const agentSide = net.connect({ path: socketPath, allowHalfOpen: true });
    const end = () => {
      browserSide.destroy();
      agentSide.destroy();
    };
    for (const side of [browserSide, agentSide]) side.on("error", end).on("close", end);
    browserSide.pipe(agentSide);
    agentSide.pipe(browserSide);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as net.AddressInfo).port;
}
