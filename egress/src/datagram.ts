/** Opens a UDP socket that sends to one checked address, and receives from it alone. */
import dgram from "node:dgram";
import type { PinnedAddress } from "./dial.ts";

/** Resolves with the connected socket. Rejects with the system's error. The caller closes the socket. */
export function openDatagram({ address, family }: PinnedAddress, port: number): Promise<dgram.Socket> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(family === 6 ? "udp6" : "udp4");
    const onError = (error: Error) => {
      socket.close();
      reject(error);
    };
    socket.once("error", onError);
    // The kernel drops what others send to a connected socket.
    socket.connect(port, address, () => {
      socket.removeListener("error", onError);
      resolve(socket);
    });
  });
}
