import { describe, expect, it } from "vitest";
import { CookieJar } from "./cookies.ts";
import { nextRequest } from "./redirects.ts";
import type { HttpRequest } from "./request.ts";

function aHttpRequest(request: Partial<HttpRequest> = {}): HttpRequest {
  return {
    url: new URL("http://a.example/start"),
    method: "GET",
    headers: [],
    host: undefined,
    body: undefined,
    ...request,
  };
}

describe("nextRequest", () => {
  it.each([
    [301, "GET", "GET", false],
    [301, "POST", "GET", false],
    [301, "PUT", "PUT", true],
    [302, "POST", "GET", false],
    [302, "DELETE", "DELETE", true],
    [302, "HEAD", "HEAD", false],
    [303, "POST", "GET", false],
    [303, "PUT", "GET", false],
    [303, "HEAD", "HEAD", false],
    [307, "POST", "POST", true],
    [308, "PATCH", "PATCH", true],
  ])("%s after %s asks with %s (body kept: %s)", (status, method, wanted, keepsBody) => {
    const body = method === "GET" || method === "HEAD" ? undefined : Buffer.from("x");
    const request = aHttpRequest({
      method,
      body,
      headers: [
        ["Content-Type", "text/plain"],
        ["X-A", "b"],
      ],
    });
    const next = nextRequest(request, status, "/end");
    if (next.kind !== "follow") throw new Error(next.kind);
    expect(next.request.method).toBe(wanted);
    expect(next.request.url.href).toBe("http://a.example/end");
    expect(next.request.body !== undefined).toBe(keepsBody);
    const names = next.request.headers.map(([name]) => name);
    expect(names).toContain("X-A");
    if (wanted !== method) expect(names).not.toContain("Content-Type");
  });

  it.each([[200], [300], [304], [305], [400]])("%s with a Location is no redirect", (status) => {
    expect(nextRequest(aHttpRequest(), status, "/end")).toEqual({ kind: "none" });
  });

  it("a redirect without Location is a plain response", () => {
    expect(nextRequest(aHttpRequest(), 302, undefined)).toEqual({ kind: "none" });
  });

  it.each([
    ["http://a.example/x", true],
    ["http://a.example:80/x", true],
    ["//a.example/x", true],
    ["http://a.example:8080/x", false],
    ["https://a.example/x", false],
    ["http://b.example/x", false],
    ["http://a.example.evil.example/x", false],
  ])("to %s keeps credentials: %s", (location, keeps) => {
    const request = aHttpRequest({
      host: "virtual.example",
      headers: [
        ["Authorization", "Bearer x"],
        ["X-API-Key", "k"],
        ["Cookie", "a=b"],
        ["Accept", "*/*"],
        ["User-Agent", "u"],
      ],
    });
    const next = nextRequest(request, 302, location);
    if (next.kind !== "follow") throw new Error(next.kind);
    const names = next.request.headers.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(["Accept", "User-Agent"]));
    for (const name of ["Authorization", "X-API-Key", "Cookie"]) expect(names.includes(name)).toBe(keeps);
    expect(next.request.host).toBe(keeps ? "virtual.example" : undefined);
  });

  it.each([
    [307, "http://b.example/x", undefined, "refused"],
    [308, "https://a.example/x", undefined, "refused"],
    [302, "http://b.example/x", undefined, "follow"],
    [303, "http://b.example/x", undefined, "follow"],
    [307, "http://a.example/x", undefined, "follow"],
    [307, "http://b.example/x", true, "follow"],
  ])("%s to %s with a body, which may go anywhere: %s, is judged %s", (status, location, may, kind) => {
    const body = Buffer.from("password=secret");
    const request = aHttpRequest({ method: "POST", body, ...(may ? { mayResendBody: true } : {}) });
    const next = nextRequest(request, status, location);
    expect(next.kind).toBe(kind);
    if (next.kind === "refused")
      expect(next.message).toContain("another origin, and the request body may not be sent there");
    if (next.kind === "follow" && may) expect(next.request).toMatchObject({ body, mayResendBody: true });
  });

  it.each([["http://"], ["https://a b/"], ["javascript:alert(1)"], ["file:///etc/passwd"]])(
    "to %s can't be followed",
    (location) => {
      expect(nextRequest(aHttpRequest(), 302, location)).toMatchObject({ kind: "invalid" });
    },
  );

  it("reads UTF-8 in a Location as browsers do", () => {
    const location = Buffer.from("/grüße").toString("latin1");
    const next = nextRequest(aHttpRequest(), 302, location);
    expect(next).toMatchObject({ request: { url: new URL("http://a.example/gr%C3%BC%C3%9Fe") } });
  });

  it("drops credentials that a Location carries and keeps the fragment", () => {
    const next = nextRequest(
      aHttpRequest({ url: new URL("http://a.example/#part") }),
      302,
      "http://u:p@a.example/x",
    );
    expect(next).toMatchObject({ request: { url: new URL("http://a.example/x#part") } });
  });
});

describe("CookieJar", () => {
  const NOW_MS = Date.UTC(2026, 5, 1);
  const sent = (setBy: string, headers: string[], to: string): string | undefined => {
    const jar = new CookieJar();
    jar.store(new URL(setBy), headers, NOW_MS);
    return jar.addTo(aHttpRequest({ url: new URL(to) })).headers.find(([name]) => name === "Cookie")?.[1];
  };
  it.each<[string, string, string[], string, string | undefined]>([
    ["same host", "http://a.example/", ["s=1"], "http://a.example/x", "s=1"],
    ["several", "http://a.example/", ["s=1; HttpOnly", "t=2; SameSite=Lax"], "http://a.example/", "s=1; t=2"],
    ["replaced", "http://a.example/", ["s=1", "s=2"], "http://a.example/", "s=2"],
    ["another host", "http://a.example/", ["s=1"], "http://b.example/", undefined],
    ["a host below, host-only", "http://a.example/", ["s=1"], "http://x.a.example/", undefined],
    [
      "a host below, by domain",
      "http://a.example/",
      ["s=1; Domain=.a.example"],
      "http://x.a.example/",
      "s=1",
    ],
    ["a foreign domain", "http://a.example/", ["s=1; Domain=b.example"], "http://b.example/", undefined],
    ["a top-level domain", "http://a.example/", ["s=1; Domain=example"], "http://b.example/", undefined],
    ["an address by domain", "http://10.0.0.1/", ["s=1; Domain=0.0.1"], "http://10.0.0.1/", undefined],
    ["path below", "http://a.example/", ["s=1; Path=/p"], "http://a.example/p/q", "s=1"],
    ["path beside", "http://a.example/", ["s=1; Path=/p"], "http://a.example/pq", undefined],
    ["default path", "http://a.example/d/e", ["s=1"], "http://a.example/", undefined],
    ["secure over http", "https://a.example/", ["s=1; Secure"], "http://a.example/", undefined],
    ["secure over https", "https://a.example/", ["s=1; Secure"], "https://a.example/", "s=1"],
    ["expired", "http://a.example/", ["s=1", "s=; Max-Age=0"], "http://a.example/", undefined],
    [
      "expired by date",
      "http://a.example/",
      ["s=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
      "http://a.example/",
      undefined,
    ],
    ["value with =", "http://a.example/", ["s=a=b"], "http://a.example/", "s=a=b"],
    ["control character", "http://a.example/", ["s=\u0001"], "http://a.example/", undefined],
    ["character beyond Latin-1", "http://a.example/", ["s=\u0141"], "http://a.example/", undefined],
    ["malformed", "http://a.example/", ["", "=x", "nothing"], "http://a.example/", undefined],
  ])("%s", (_, setBy, headers, to, wanted) => {
    expect(sent(setBy, headers, to)).toBe(wanted);
  });

  it("adds to the cookies that the check sends itself", () => {
    const jar = new CookieJar();
    jar.store(new URL("http://a.example/"), ["s=1"], NOW_MS);
    const { headers } = jar.addTo(aHttpRequest({ headers: [["cookie", "own=0"]] }));
    expect(headers).toEqual([["Cookie", "own=0; s=1"]]);
  });
});
