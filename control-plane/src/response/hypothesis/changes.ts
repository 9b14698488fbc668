/** What changed shortly before: deployments, certificates, maintenance. And what else is on the same host. */
import { counted, DAY_MS, listed, MINUTE_MS } from "@svc/contract";
import { isAboutCertificate } from "../incidents/facts.ts";
import { CHANGE_LOOK_BACK_MS, distinct, type Finding, type HypothesisRule } from "./finding.ts";

const SHORT_MS = 3 * DAY_MS;

export const certificate: HypothesisRule = ({ members, openedAtMs }) => {
  const about = members.filter(isAboutCertificate);
  const [one] = about;
  if (!one?.certificate) return undefined;
  const { validTo, isTrusted, trustError, changedAtMs } = one.certificate;
  const leftMs = Date.parse(validTo) - openedAtMs;
  const host = one.host ?? one.checkName;
  const changed = changedAtMs !== null && openedAtMs - changedAtMs <= CHANGE_LOOK_BACK_MS;
  const ruledIn = changed ? ["certificate: another one was presented shortly before"] : [];
  const found = (summary: string, confidence: number, fact: string): Finding => ({
    cause: { summary, confidence },
    ruledIn: [`certificate: ${fact}`, ...ruledIn],
    isChange: changed,
  });
  if (leftMs <= 0) return found(`The certificate of ${host} has expired`, 0.95, `expired at ${validTo}`);
  if (!isTrusted) return found(`The certificate of ${host} is not trusted`, 0.9, trustError ?? "not trusted");
  if (changed) return found(`The certificate of ${host} was changed`, 0.8, "trusted and valid");
  if (leftMs <= SHORT_MS || about.length === members.length)
    return found(
      `The certificate of ${host} needs attention: valid until ${validTo}`,
      0.6,
      `valid until ${validTo}`,
    );
  return undefined;
};

/** A deployment shortly before the start is ruled in, and strengthens the cause (see hypothesis.ts). */
export const deployments: HypothesisRule = ({ deployments, openedAtMs }) => {
  if (deployments.length === 0) return undefined;
  return {
    ruledIn: deployments.map(
      ({ service, version, environment, atMs }) =>
        `deployment: ${service} ${version}${environment ? ` (${environment})` : ""}, ${minutes(openedAtMs - atMs)} before`,
    ),
    isChange: true,
  };
};

export const maintenance: HypothesisRule = ({ windows, openedAtMs }) => {
  if (windows.length === 0) return undefined;
  return {
    ruledIn: windows.map(({ name, endedAtMs }) =>
      endedAtMs === null
        ? `maintenance: the window "${name}" holds`
        : `maintenance: the window "${name}" ended ${minutes(openedAtMs - endedAtMs)} before`,
    ),
    isChange: true,
  };
};

export const neighbours: HypothesisRule = ({ neighbours }) => {
  if (neighbours.length === 0) return undefined;
  const fine = neighbours.filter(({ isFailing }) => !isFailing);
  const hosts = listed(distinct(neighbours.map(({ host }) => host)));
  if (fine.length === 0)
    return {
      ruledIn: [
        `host: ${counted(neighbours.length, "other check")} on ${hosts} ${neighbours.length === 1 ? "fails" : "fail"}, too`,
      ],
    };
  return {
    ruledOut: [
      `host: ${counted(fine.length, "other check")} on ${hosts} ${fine.length === 1 ? "succeeds" : "succeed"}, so not all of it is down`,
    ],
  };
};

function minutes(ms: number): string {
  return `${Math.max(0, Math.round(ms / MINUTE_MS))} min`;
}
