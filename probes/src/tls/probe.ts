/** The probe of TLS checks: makes a handshake, and judges the certificate, its chain and the version of TLS. */
import { type CheckConfigOf, DAY_MS } from "@svc/contract";
import { wishesOf } from "../connection/own-tls.ts";
import { openSecured, type SecuredSocket } from "../connection/secure.ts";
import { trustMessage } from "../connection/tls-errors.ts";
import { type PortAttempt, portProbe } from "../measured-run/port-probe.ts";
import { TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";
import { type SentCertificate, sentChain } from "./sent-chain.ts";

type TlsConfig = CheckConfigOf<"tls">;

/** Carries out one run of a TLS check. */
export const tlsProbe = portProbe("tls", examine);

async function examine(config: TlsConfig, { scope, detail }: PortAttempt): Promise<undefined> {
  const secured = await openSecured(scope.url, wishesOf(config, scope), scope);
  const { socket, certificate, facts } = secured;
  scope.tls = facts;
  const chain = sentChain(certificate);
  const protocol = socket.getProtocol() ?? "unknown";
  detail.tlsJson = { protocol, cipher: socket.getCipher().name, chain };
  socket.destroy();
  const problems = problemsOf(config, { secured, protocol, chain }, scope);
  if (problems.length > 0)
    throw new TargetFailure({ status: "failure", category: "tls", message: problems.join("; ") });
}

/** Returns everything that is wrong, each in a sentence. */
function problemsOf(
  { minDaysBeforeExpiry, minProtocol }: TlsConfig,
  seen: { secured: SecuredSocket; protocol: string; chain: readonly SentCertificate[] },
  { url: { host }, nowMs }: RunScope,
): string[] {
  const { secured, protocol, chain } = seen;
  const { trustError, facts } = secured;
  const untrusted = trustError === undefined ? [] : [trustMessage(host, trustError, facts)];
  const expiring = chain.flatMap(({ subject, validTo }, index) => {
    const leftMs = Date.parse(validTo) - nowMs();
    // One that has expired is named with the reason why it is not trusted.
    if (leftMs > minDaysBeforeExpiry * DAY_MS || (index === 0 && trustError === "CERT_HAS_EXPIRED"))
      return [];
    const daysLeft = Math.floor((leftMs / DAY_MS) * 10) / 10;
    const which = index === 0 ? `the certificate of ${host}` : `the certificate "${subject}" of the chain`;
    return [
      `${which} expires in ${daysLeft} days, on ${validTo}; wanted: more than ${minDaysBeforeExpiry} days`,
    ];
  });
  const outdated = isOlder(protocol, minProtocol)
    ? [`${host} agreed on ${protocol}; wanted: ${minProtocol} or newer`]
    : [];
  return [...untrusted, ...expiring, ...outdated];
}

/** Names of the versions sort by their age. */
function isOlder(protocol: string, minProtocol: string): boolean {
  return protocol < minProtocol;
}
