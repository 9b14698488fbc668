/**
 * Chromium's switches beside Playwright's own. In the sandbox, where the bridge is the only network, none of them
 * decides where the browser can go. Without it they keep all of its traffic in the proxy.
 */
export const BROWSER_ARGUMENTS: readonly string[] = [
  // UDP only through a proxy, which an HTTP proxy can't do. WebRTC is left with TURN over TCP, which the proxy
  // judges.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  // The browser resolves no name itself: names go to the proxy unchanged.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--dns-prefetch-disable",
  "--disable-background-networking",
  "--no-pings",
  "--mute-audio",
  // A page whose heap grows beyond this ends its own process, not the browser.
  "--js-flags=--max-old-space-size=512",
];
