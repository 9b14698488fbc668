/** Whether this machine has a way to addresses of the Internet, by family. No packet is sent to find out. */
import { createSocket } from "node:dgram";

/** Addresses of documentation (RFC 5737, RFC 3849), which belong to nobody: only the route to them is looked up. */
const ADDRESSES = { 4: "192.0.2.1", 6: "2001:db8::1" } as const;
/** The discard port. */
const PORT = 9;

/** Resolves with true when the system has a route for the family: connecting a UDP socket looks it up, and sends nothing. */
export function hasRoute(family: keyof typeof ADDRESSES): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(`udp${family}`);
    const done = (isThere: boolean) => {
      socket.close();
      resolve(isThere);
    };
    socket.once("error", () => done(false));
    socket.connect(PORT, ADDRESSES[family], (error?: Error) => done(!error));
  });
}
