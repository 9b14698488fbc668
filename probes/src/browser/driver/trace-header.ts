/**
 * Adds the run's `traceparent` to the requests of a page that go to the origin of its main document. Only these requests
 * are held for a moment in the browser, by a session of the DevTools protocol of our own: Playwright's routes would hold
 * every request of the page and switch its cache off.
 */
import type { CDPSession, Page } from "playwright";

/** Adds one run's `traceparent` to the requests of any number of pages. */
export class TraceHeader {
  readonly #traceparent: string;
  readonly #attached = new WeakMap<Page, Promise<void>>();

  constructor(traceparent: string) {
    this.#traceparent = traceparent;
  }

  /** Begins with a page. Resolves once its next navigation carries the header; a page that can't carry it goes without. */
  attach(page: Page): Promise<void> {
    const attached = this.#attached.get(page) ?? this.#follow(page).catch(() => {});
    this.#attached.set(page, attached);
    return attached;
  }

  async #follow(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const { frameTree } = await session.send("Page.getFrameTree");
    let origin: string | undefined;
    session.on("Fetch.requestPaused", ({ requestId, request, frameId, resourceType }) => {
      const target = originOf(request.url);
      if (resourceType === "Document" && frameId === frameTree.frame.id && target !== origin) {
        origin = target;
        hold(session, origin).catch(() => {});
      }
      const isOwn = target !== undefined && target === origin;
      const headers = isOwn ? { headers: this.#withTrace(request.headers) } : {};
      session.send("Fetch.continueRequest", { requestId, ...headers }).catch(() => {});
    });
    await hold(session, origin);
  }

  /** Returns the headers as the protocol takes them. A traceparent that the page or the script set itself stays. */
  #withTrace(headers: Record<string, string>): { name: string; value: string }[] {
    const entries = Object.entries(headers).map(([name, value]) => ({ name, value }));
    return entries.some(({ name }) => name.toLowerCase() === "traceparent")
      ? entries
      : [...entries, { name: "traceparent", value: this.#traceparent }];
  }
}

/** Has the browser hold documents, by which the origin is learnt, and the requests to the origin. */
async function hold(session: CDPSession, origin: string | undefined): Promise<void> {
  const ofOrigin = origin === undefined ? [] : [{ urlPattern: `${origin}/*` }];
  await session.send("Fetch.enable", {
    patterns: [{ urlPattern: "*", resourceType: "Document" }, ...ofOrigin],
  });
}

/** Returns the origin of an http or https URL; undefined for any other. */
function originOf(url: string): string | undefined {
  const { origin, protocol } = URL.canParse(url) ? new URL(url) : { origin: "null", protocol: "" };
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}
