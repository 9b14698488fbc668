import { DAY_MS } from "@svc/contract";
import { aLocation, anInput, judgeRows, NOW_MS, tls } from "../../../test-support/conditions.ts";

const endingIn = (days: number) => new Date(NOW_MS + days * DAY_MS).toISOString();

judgeRows([
  [
    "ends in exactly the days",
    { type: "ssl_expiry" },
    anInput([aLocation("S", { tls: tls([1, { validTo: endingIn(14) }]) })]),
    "critical",
  ],
  [
    "ends later",
    { type: "ssl_expiry" },
    anInput([aLocation("S", { tls: tls([1, { validTo: endingIn(14.01) }]) })]),
    undefined,
  ],
  [
    "a severity of its own",
    { type: "ssl_expiry", severity: "warning" },
    anInput([aLocation("S", { tls: tls([1, { validTo: endingIn(10) }]) })]),
    "warning",
  ],
  [
    "critical in the last days whatever was set",
    { type: "ssl_expiry", severity: "info" },
    anInput([aLocation("S", { tls: tls([1, { validTo: endingIn(3) }]) })]),
    "critical",
  ],
  [
    "has ended",
    { type: "ssl_expiry", severity: "info" },
    anInput([aLocation("S", { tls: tls([1, { validTo: endingIn(-1) }]) })]),
    "critical",
  ],
  ["nothing seen", { type: "ssl_expiry" }, anInput([aLocation("S")]), undefined],
  [
    "the renewed certificate counts",
    { type: "ssl_expiry" },
    anInput([aLocation("S", { tls: tls([0, { validTo: endingIn(90) }], [9, { validTo: endingIn(1) }]) })]),
    undefined,
  ],

  [
    "changed with this run",
    { type: "ssl_certificate_changed" },
    anInput([aLocation("S", { tls: tls([0, { fingerprintSha256: "B" }], [9, { fingerprintSha256: "A" }]) })]),
    "critical",
  ],
  [
    "changed with a run before",
    { type: "ssl_certificate_changed" },
    anInput([
      aLocation("SS", { tls: tls([1, { fingerprintSha256: "B" }], [9, { fingerprintSha256: "A" }]) }),
    ]),
    undefined,
  ],
  [
    "seen for the first time",
    { type: "ssl_certificate_changed" },
    anInput([aLocation("S", { tls: tls([0, { fingerprintSha256: "B" }]) })]),
    undefined,
  ],
  [
    "only the cipher changed",
    { type: "ssl_certificate_changed" },
    anInput([aLocation("S", { tls: tls([0, { cipher: "x" }], [9, {}]) })]),
    undefined,
  ],

  [
    "self-signed",
    { type: "ssl_self_signed" },
    anInput([aLocation("S", { tls: tls([1, { isSelfSigned: true }]) })]),
    "critical",
  ],
  [
    "an unknown root",
    { type: "ssl_self_signed", severity: "info" },
    anInput([
      aLocation("E", {
        tls: tls([1, { isTrusted: false, trustError: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY" }]),
      }),
    ]),
    "info",
  ],
  [
    "merely expired",
    { type: "ssl_self_signed" },
    anInput([aLocation("E", { tls: tls([1, { isTrusted: false, trustError: "CERT_HAS_EXPIRED" }]) })]),
    undefined,
  ],
  ["trusted", { type: "ssl_self_signed" }, anInput([aLocation("S", { tls: tls([1, {}]) })]), undefined],

  [
    "TLS 1.1",
    { type: "ssl_protocol_deprecated" },
    anInput([aLocation("S", { tls: tls([1, { protocol: "TLSv1.1" }]) })]),
    "critical",
  ],
  [
    "TLS 1.2 is fine by default",
    { type: "ssl_protocol_deprecated" },
    anInput([aLocation("S", { tls: tls([1, { protocol: "TLSv1.2" }]) })]),
    undefined,
  ],
  [
    "TLS 1.2 where 1.3 is wanted",
    { type: "ssl_protocol_deprecated", minProtocol: "TLSv1.3", severity: "warning" },
    anInput([aLocation("S", { tls: tls([1, { protocol: "TLSv1.2" }]) })]),
    "warning",
  ],
  [
    "a protocol nobody knows",
    { type: "ssl_protocol_deprecated" },
    anInput([aLocation("S", { tls: tls([1, { protocol: "unknown" }]) })]),
    undefined,
  ],
]);
