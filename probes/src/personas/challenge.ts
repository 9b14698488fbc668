/** Recognizes challenges: pages that ask for proof of a human instead of showing their content. Pure. */

import { textPreview } from "../base/storable-text.ts";
import type { ResponseHeaders } from "../http/headers.ts";

/** Headers by which protection services say that they answered themselves. */
const CHALLENGE_HEADERS: readonly (readonly [name: string, value: RegExp])[] = [
  ["cf-mitigated", /challenge/i],
  ["x-amzn-waf-action", /challenge|captcha/i],
  ["x-vercel-mitigated", /challenge/i],
  ["x-vercel-challenge-token", /./],
  ["x-datadome", /protected|challenge/i],
];

/** Texts that only challenge pages contain. */
const CHALLENGE_MARKS: readonly string[] = [
  "/cdn-cgi/challenge-platform/",
  "cf-chl-",
  "captcha-delivery.com",
  "px-captcha",
  "_Incapsula_Resource",
  "awsWafCookieDomainList",
  "hcaptcha.com/1/api.js",
  "google.com/recaptcha/api.js",
  "challenges.cloudflare.com/turnstile",
];

/**
 * Longer pages are not searched: an ordinary page may hold a captcha in a form, while a challenge page is little
 * else.
 */
const CHALLENGE_PAGE_CHARACTERS_MAX = 64 * 1024;

/** Returns the header or text that shows a challenge; undefined when the response is none. */
export function challengeMark(headers: ResponseHeaders, text: string): string | undefined {
  for (const [name, value] of CHALLENGE_HEADERS) {
    const given = headers.get(name);
    if (given !== undefined && value.test(given)) return `header ${name}: ${textPreview(given)}`;
  }
  if (text.length > CHALLENGE_PAGE_CHARACTERS_MAX) return undefined;
  const mark = CHALLENGE_MARKS.find((candidate) => text.includes(candidate));
  return mark === undefined ? undefined : `the page contains "${mark}"`;
}
