/** Draws the evidence of a failure from the detail of its result. Pure. */
import { assertionTypes, type NetworkRequest, oneLine, type ResultDetail, truncate } from "@svc/contract";
import { domainOf } from "../incidents/dimensions.ts";
import type { FailureEvidence } from "./failure.ts";

const HOSTS_MAX = 5;
const ERROR_CODE_MIN = 400;
/** Most characters of a page's error. */
const ERROR_CHARACTERS_MAX = 200;
/** Kinds of requests without which a page may not work; pictures, fonts and beacons are not among them. */
const NEEDED = new Set(["script", "stylesheet", "fetch", "xhr"]);

/** The part of a detail that is looked at. Stored details come as JSON, so any field may be absent or null. */
export type EvidentDetail = {
  [Field in "assertions" | "response" | "networkRequestsJson" | "consoleLogsJson"]?:
    | ResultDetail[Field]
    | null;
};

/**
 * Returns the evidence that a detail holds.
 * @param before detail of the success before: hosts that failed there, too, are no reason
 */
export function evidenceOf(detail: EvidentDetail, before: EvidentDetail = {}): FailureEvidence {
  const { response, networkRequestsJson, consoleLogsJson } = detail;
  const failedBefore = failedHostsOf(before.networkRequestsJson ?? []);
  const pageError = consoleLogsJson?.find(({ type }) => type === "pageerror")?.text;
  return {
    asksToComeBack: response?.headers["retry-after"] !== undefined,
    failedHosts: failedHostsOf(networkRequestsJson ?? [])
      .filter((host) => !failedBefore.includes(host))
      .slice(0, HOSTS_MAX),
    hasOtherStructure: hasOtherStructure(detail),
    pageError: pageError === undefined ? null : truncate(oneLine(pageError), ERROR_CHARACTERS_MAX),
  };
}

/** Returns the hosts of other parties from which the page got an error or nothing; none when the page itself did not come. */
function failedHostsOf(requests: readonly NetworkRequest[]): string[] {
  const document = requests.findLast(({ resourceType }) => resourceType === "document");
  if (!document || hasFailed(document)) return [];
  const own = partyOf(document.url);
  const foreign = requests.filter(
    (request) => NEEDED.has(request.resourceType) && hasFailed(request) && partyOf(request.url) !== own,
  );
  return [...new Set(foreign.flatMap(({ url }) => hostOfUrl(url) ?? []))];
}

function hasFailed({ httpStatusCode, errorText }: NetworkRequest): boolean {
  return errorText !== undefined || (httpStatusCode ?? 0) >= ERROR_CODE_MIN;
}

/** Returns the registered domain of a URL's host, or the host where it has none. */
function partyOf(url: string): string | null {
  const host = hostOfUrl(url);
  return host && (domainOf(host) ?? host);
}

function hostOfUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname } = new URL(text);
  return /^(?:https?|wss?):$/.test(protocol) ? hostname : null;
}

/** True when a broken assertion shows that the answer has another structure. An error page has one, too, and says nothing. */
function hasOtherStructure({ assertions, response }: EvidentDetail): boolean {
  if ((response?.httpStatusCode ?? 0) >= ERROR_CODE_MIN) return false;
  return (assertions ?? []).some(
    (result) =>
      !result.passed && assertionTypes.find(result.type)?.differsInStructure?.(result as Differing) === true,
  );
}

type Differing = { expected: unknown; actual: unknown };
