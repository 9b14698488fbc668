/** Keeps the cookies of one run across its redirects (RFC 6265, as far as it matters within seconds). */
import net from "node:net";
import type { HttpRequest } from "./request.ts";

interface Cookie {
  name: string;
  value: string;
  domain: string;
  isHostOnly: boolean;
  path: string;
  isSecure: boolean;
}

/** Most cookies that are kept, as many as browsers keep for one site. */
const COOKIES_MAX = 180;

/** Characters that a request header must not have. A cookie with one of them is not kept (RFC 6265bis, 5.6). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const UNSENDABLE = /[\u0000-\u0008\u000a-\u001f\u007f\u0100-\uffff]/;

/** The cookies of one run. */
export class CookieJar {
  #cookies: Cookie[] = [];

  /**
   * Stores the cookies of a response. Malformed ones and those for foreign domains are ignored, as browsers do.
   * @param nowMs Unix ms, by which `Expires` is judged
   */
  store(url: URL, setCookieHeaders: readonly string[], nowMs: number): void {
    for (const header of setCookieHeaders) {
      const parsed = parseSetCookie(url, header, nowMs);
      if (!parsed) continue;
      const { cookie, hasExpired } = parsed;
      this.#cookies = this.#cookies.filter(
        (other) => other.name !== cookie.name || other.domain !== cookie.domain || other.path !== cookie.path,
      );
      if (!hasExpired && this.#cookies.length < COOKIES_MAX) this.#cookies.push(cookie);
    }
  }

  /** Returns the request with the cookies that belong to its URL, after the cookies it has already. */
  addTo(request: HttpRequest): HttpRequest {
    const fitting = this.#cookies.filter((cookie) => belongsTo(cookie, request.url));
    if (fitting.length === 0) return request;
    const pairs = fitting.map(({ name, value }) => `${name}=${value}`);
    const own = request.headers.filter(([name]) => name.toLowerCase() === "cookie").map(([, value]) => value);
    const others = request.headers.filter(([name]) => name.toLowerCase() !== "cookie");
    return { ...request, headers: [...others, ["Cookie", [...own, ...pairs].join("; ")]] };
  }
}

function parseSetCookie(
  url: URL,
  header: string,
  nowMs: number,
): { cookie: Cookie; hasExpired: boolean } | undefined {
  const [pair = "", ...attributes] = header.split(";");
  const equals = pair.indexOf("=");
  if (equals < 1 || UNSENDABLE.test(pair)) return undefined;
  const name = pair.slice(0, equals).trim();
  if (name === "") return undefined;
  const cookie: Cookie = {
    name,
    value: pair.slice(equals + 1).trim(),
    domain: url.hostname,
    isHostOnly: true,
    path: defaultPath(url),
    isSecure: false,
  };
  let hasExpired = false;
  let hasMaxAge = false;
  for (const attribute of attributes) {
    const [rawKey = "", ...rest] = attribute.split("=");
    const key = rawKey.trim().toLowerCase();
    const value = rest.join("=").trim();
    if (key === "secure") cookie.isSecure = true;
    else if (key === "path" && value.startsWith("/")) cookie.path = value;
    else if (key === "max-age" && /^-?\d+$/.test(value)) {
      hasMaxAge = true;
      hasExpired = Number(value) <= 0;
    } else if (key === "expires" && !hasMaxAge) hasExpired = Date.parse(value) <= nowMs;
    else if (key === "domain" && value !== "") {
      const domain = value.replace(/^\./, "").toLowerCase();
      if (!domainMatches(url.hostname, domain)) return undefined;
      // A domain of a single label, such as com, would be shared by strangers.
      if (domain.includes(".")) Object.assign(cookie, { domain, isHostOnly: false });
      else if (domain !== url.hostname) return undefined;
    }
  }
  return { cookie, hasExpired };
}

function defaultPath({ pathname }: URL): string {
  const end = pathname.lastIndexOf("/");
  return end <= 0 ? "/" : pathname.slice(0, end);
}

function domainMatches(hostname: string, domain: string): boolean {
  if (hostname === domain) return true;
  return net.isIP(hostname) === 0 && hostname.endsWith(`.${domain}`);
}

function belongsTo(cookie: Cookie, url: URL): boolean {
  if (cookie.isSecure && url.protocol !== "https:") return false;
  if (cookie.isHostOnly ? url.hostname !== cookie.domain : !domainMatches(url.hostname, cookie.domain))
    return false;
  if (url.pathname === cookie.path) return true;
  const prefix = cookie.path.endsWith("/") ? cookie.path : `${cookie.path}/`;
  return url.pathname.startsWith(prefix);
}
