/** Examines the encryption of the runners' port: the certificate and its key, or that there is none. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { DAY_MS, type Finding, found, isLoopbackHost } from "@svc/contract";
import type { Patient } from "./patient.ts";

/** Time before a certificate's end from which it is to be renewed, ms. */
const RENEWAL_MS = 14 * DAY_MS;

/** Returns whether agents reach the service encrypted, and for how long. */
export async function examineTls({ config, machine }: Patient): Promise<Finding[]> {
  const { runnerTlsCertFile: certFile, runnerTlsKeyFile: keyFile, runnerHost } = config;
  if (!certFile || !keyFile) {
    if (isLoopbackHost(runnerHost.includes(":") ? `[${runnerHost}]` : runnerHost))
      return [found.ok("agents connect on this machine only, so that no certificate is needed")];
    return [
      found.warning(
        "agents connect unencrypted: runner keys and secrets can be read on the way",
        "set SVC_RUNNER_TLS_CERT_FILE and SVC_RUNNER_TLS_KEY_FILE, or let a proxy in front encrypt the runners' port",
      ),
    ];
  }
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))))
      return [
        found.problem(
          `the key in ${keyFile} is not that of the certificate in ${certFile}`,
          "name the two files that belong together",
        ),
      ];
  } catch (error) {
    return [
      found.problem(
        `certificate and key of the runners' port can't be read: ${(error as Error).message}`,
        "name PEM files that this account may read in SVC_RUNNER_TLS_CERT_FILE and SVC_RUNNER_TLS_KEY_FILE",
      ),
    ];
  }
  return [validityFinding(certificate, machine.clock.nowMs())];
}

function validityFinding({ validFrom, validTo, subjectAltName }: X509Certificate, nowMs: number): Finding {
  const endsAt = new Date(validTo).toISOString();
  const remedy = "renew it, and restart the control planes one after the other";
  if (nowMs < Date.parse(validFrom))
    return found.problem(
      `the certificate of the runners' port is valid from ${new Date(validFrom).toISOString()} on`,
      remedy,
    );
  const leftMs = Date.parse(validTo) - nowMs;
  if (leftMs <= 0) return found.problem(`the certificate of the runners' port ended at ${endsAt}`, remedy);
  if (leftMs < RENEWAL_MS)
    return found.warning(`the certificate of the runners' port ends at ${endsAt}`, remedy);
  return found.ok(
    `the certificate of the runners' port is for ${subjectAltName ?? "no name"}, until ${endsAt}`,
  );
}
