/** A certificate that expired, is not trusted, was changed or expires soon, when the alerts are about certificates. */
import { DAY_MS } from "@svc/contract";
import { failingStates, isAboutCertificate, type MemberProfile } from "../../incidents/member-profile.ts";
import { quoteOf } from "../../quote.ts";
import { CHANGE_LOOK_BACK_MS } from "../input.ts";
import { type Clue, defineHypothesisRule } from "./define-rule.ts";

/** Remaining validity from which on a certificate needs attention. */
const SHORT_VALIDITY_MS = 3 * DAY_MS;

/** Contributes a cause when the alerts of some members are about a certificate. */
export const certificate = defineHypothesisRule("certificate", ({ members, openedAtMs }) => {
  const about = members.filter(isAboutCertificate);
  const [one] = about;
  if (!one?.certificate) return undefined;
  const { validTo, isTrusted, trustError, changedAtMs } = one.certificate;
  const leftMs = Date.parse(validTo) - openedAtMs;
  const host = one.host ?? one.checkName;
  const isChange = changedAtMs !== null && openedAtMs - changedAtMs <= CHANGE_LOOK_BACK_MS;
  const clue = (summary: string, confidence: number, fact: string): Clue => ({
    cause: { summary, confidence },
    ruledIn: [
      `certificate: ${fact}`,
      ...(isChange ? ["certificate: another one was presented shortly before"] : []),
    ],
    isChange,
  });
  if (leftMs <= 0) return clue(`The certificate of ${host} has expired`, 0.95, `expired at ${validTo}`);
  if (!isTrusted)
    return clue(`The certificate of ${host} is not trusted${saidOf(one)}`, 0.9, trustError ?? "not trusted");
  if (isChange) return clue(`The certificate of ${host} was changed`, 0.8, "trusted and valid");
  if (leftMs > SHORT_VALIDITY_MS && about.length < members.length) return undefined;
  return clue(
    `The certificate of ${host} needs attention: valid until ${validTo}`,
    0.6,
    `valid until ${validTo}`,
  );
});

/** Returns what the probe said about the handshake, after a colon. */
function saidOf(member: MemberProfile): string {
  return quoteOf(failingStates(member).find(({ errorCategory }) => errorCategory === "tls")?.errorMessage);
}
