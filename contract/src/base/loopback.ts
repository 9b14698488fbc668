/** Hosts of this machine. */

const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True when a URL's hostname is this machine, so that requests to it cross no network. Looks nothing up. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOST.test(hostname);
}
