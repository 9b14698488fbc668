/**
 * Chromium's switches beside Playwright's own. In the sandbox there is no network but the bridge, and none of them matters for
 * where the browser can go; without it they are what keeps all of its traffic in the proxy.
 */
export const BROWSER_ARGUMENTS: readonly string[] = [
  // No UDP but through a proxy, which an HTTP proxy can't: WebRTC is left with TURN over TCP, which the proxy judges.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  // The browser resolves no name itself: names go to the proxy as they are.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--dns-prefetch-disable",
  "--disable-background-networking",
  "--no-pings",
  "--mute-audio",
  // A page's heap: one that grows beyond it ends its own process, not the browser.
  "--js-flags=--max-old-space-size=512",
];
