/** The way to a target's port: directly, or through the check's proxy. */
import type net from "node:net";
import { addressesOf, connect } from "./dial.ts";
import { tunnelTo, type WayScope } from "./proxy.ts";

/**
 * Opens a connection to a URL's host and port.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openSocket(url: URL, scope: WayScope): Promise<net.Socket> {
  // Most runs go directly, and a run of an HTTP check is short enough for a turn more or less to count.
  if (scope.connection?.proxy) return (await wayTo(url, scope))();
  return connect(url, await addressesOf(url.hostname, scope), scope);
}

/**
 * Looks up who is to be connected to.
 * @returns opens a connection to the URL's host and port, a new one at each call
 * @throws TargetFailure, RunnerFailure, or the signal's reason; so does the function that is returned
 */
export async function wayTo(url: URL, scope: WayScope): Promise<() => Promise<net.Socket>> {
  const proxy = scope.connection?.proxy;
  if (proxy) return tunnelTo(url, proxy, scope);
  const addresses = await addressesOf(url.hostname, scope);
  return () => connect(url, addresses, scope);
}
