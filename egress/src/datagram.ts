/** Opens a UDP socket that sends to one checked address, and receives from it alone. */
import dgram from "node:dgram";
import { isIP } from "node:net";
import type { PinnedAddress } from "./dial.ts";

/** Resolves with the connected socket. Rejects with the system's error. The caller closes the socket. */
export function openDatagram({ address, family }: PinnedAddress, port: number): Promise<dgram.Socket> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket({ type: family === 6 ? "udp6" : "udp4", lookup: asGiven });
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

/** Stands for the lookup of names that node would do: all addresses here are addresses already. */
function asGiven(
  address: string,
  _options: unknown,
  done: (error: null, address: string, family: number) => void,
): void {
  done(null, address, isIP(address));
}
