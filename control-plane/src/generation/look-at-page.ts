/** Visits the target before a script is written: how its page is made up, and what it loads from where. */
import type { LocationId } from "@svc/contract";
import { parse } from "tldts";
import type { TeamContext } from "../platform/team-context.ts";
import { isOfSite, ownOrigins } from "./target.ts";
import { type TryParts, tryScript } from "./try-script.ts";

const LOOK_MS_MAX = 20_000;
/** Most further origins that a script may read from. */
const READ_ORIGINS_MAX = 50;

/** The target's page as it was met. */
export interface SeenPage {
  /** Roles and names on the page; undefined: it was not met, and `problem` says why. */
  outline: string | undefined;
  problem: string | undefined;
  /** Origins that belong to the target. */
  origins: string[];
  /** Further origins that the page loaded something from. */
  readOrigins: string[];
}

/** Visits the target once, reading only. @throws DomainError as `createTestRun`, or the signal's reason */
export async function lookAtPage(
  ctx: TeamContext,
  { target, locationId }: { target: URL; locationId: LocationId },
  parts: TryParts,
): Promise<SeenPage> {
  const script = `// @step: Open the page
await page.goto(${JSON.stringify(target.href)}, { waitUntil: "load" });
// Scripts of the page often go on building it after it has loaded.
await page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => {});
`;
  // The page says itself what it loads, as it does to everybody who opens it.
  const limits = { origins: [target.origin], readOrigins: null, allowsWrites: false };
  const { result, problem } = await tryScript(
    ctx,
    { script, locationId, limits, timeoutMs: LOOK_MS_MAX },
    parts,
  );
  const outline = result?.pageOutline ?? undefined;
  const reached = outline === undefined ? undefined : urlOfOutline(outline);
  const origins = ownOrigins(target, reached);
  const isMet = result?.status === "success";
  return {
    outline: isMet ? outline : undefined,
    problem: isMet ? undefined : (problem ?? result?.errorMessage ?? "the page was not met"),
    origins,
    readOrigins: originsOf(result?.networkRequestsJson ?? [])
      .filter((origin) => !origins.includes(origin) && isPublicName(new URL(origin).hostname))
      .slice(0, READ_ORIGINS_MAX),
  };
}

/** Leaves those of a target's own site. */
export function ofSite(origins: readonly string[], target: URL): string[] {
  return origins.filter((origin) => isOfSite(new URL(origin), target));
}

/** True for names below a public suffix: a page must not choose which hosts of an inner network a script reads. */
function isPublicName(hostname: string): boolean {
  const { domain, isIcann } = parse(hostname);
  return domain !== null && isIcann === true;
}

function urlOfOutline(outline: string): URL | undefined {
  const text = /^url: (\S+)/.exec(outline)?.[1];
  return text !== undefined && /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function originsOf(requests: readonly { url: string }[]): string[] {
  const urls = requests.filter(({ url }) => /^https?:/.test(url) && URL.canParse(url));
  return [...new Set(urls.map(({ url }) => new URL(url).origin))];
}
