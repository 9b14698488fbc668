/** Outages of TLS. */
import type { Scenario } from "../scenario.ts";
import { hangUp, refuseVersion, type World } from "../world/world.ts";
import { broken, shop, well } from "./parts.ts";

const showing =
  (name: keyof World["certificates"]) =>
  ({ site, certificates: all }: World) => {
    site.certificate = all[name];
  };

/** The scenarios. */
export const certificates: Scenario[] = [
  {
    id: "certificate-expired",
    cause: "certificate_expired",
    broken: "Nobody renewed the certificate; it expired.",
    checks: [shop({ frequencySeconds: 300, course: [well(10), broken(4, showing("expired"))] })],
  },
  {
    id: "certificate-expired-always",
    cause: "certificate_expired",
    broken: "The certificate expired before the first stored result.",
    checks: [shop({ frequencySeconds: 900, locations: 2, course: [broken(20, showing("expired"))] })],
  },
  {
    id: "certificate-expired-after-deployment",
    cause: "certificate_expired",
    broken: "The certificate expired; a deployment five minutes before is unrelated.",
    checks: [shop({ course: [well(20), broken(5, showing("expired"))] })],
    deployments: [{ service: "shop", version: "2.4.1", minutesAgo: 10 }],
  },
  {
    id: "certificate-of-other-host",
    cause: "certificate_of_other_host",
    broken: "The load balancer shows the certificate of the host behind it.",
    checks: [shop({ course: [well(15), broken(8, showing("otherHost"))] })],
  },
  {
    id: "certificate-of-other-host-first-failure",
    cause: "certificate_of_other_host",
    broken: "The wrong certificate was installed; seen once at each location.",
    checks: [
      shop({ frequencySeconds: 900, locations: 2, course: [well(12), broken(1, showing("otherHost"))] }),
    ],
  },
  {
    id: "certificate-of-unknown-issuer",
    cause: "certificate_not_trusted",
    broken: "The new certificate was issued by an authority that nobody trusts.",
    checks: [shop({ locations: 5, course: [well(10), broken(3, showing("unknownIssuer"))] })],
  },
  {
    id: "certificate-self-signed",
    cause: "certificate_not_trusted",
    broken: "A rebuilt server shows a certificate of its own making.",
    checks: [
      shop({ frequencySeconds: 900, locations: 1, course: [well(10), broken(3, showing("selfSigned"))] }),
    ],
  },
  {
    id: "tls-version-not-in-common",
    cause: "tls_version",
    broken: "The server speaks only versions of TLS that no client speaks any more.",
    checks: [
      shop({
        course: [
          well(12),
          broken(5, ({ site }) => {
            site.raw = refuseVersion;
          }),
        ],
      }),
    ],
  },
  {
    id: "tls-handshake-cut",
    cause: "handshake_cut",
    broken: "A firewall cuts connections as soon as it sees a TLS hello.",
    checks: [
      shop({
        frequencySeconds: 30,
        course: [
          well(12),
          broken(6, ({ site }) => {
            site.raw = hangUp;
          }),
        ],
      }),
    ],
  },
  {
    id: "tls-handshake-cut-one-location",
    cause: "location",
    broken: "A firewall near one of four locations cuts connections as soon as it sees a TLS hello.",
    checks: [
      shop({
        locations: 4,
        course: [
          well(12),
          broken(
            6,
            ({ site }) => {
              site.raw = hangUp;
            },
            [2],
          ),
        ],
      }),
    ],
  },
  {
    id: "certificate-expires-in-nine-days",
    cause: "certificate_expires_soon",
    broken: "Renewal stopped working; the certificate is still valid for nine days.",
    checks: [
      shop({
        frequencySeconds: 300,
        conditions: ["ssl_expiry"],
        course: [broken(20, showing("expiresSoon"))],
      }),
    ],
  },
  {
    id: "certificate-expires-tomorrow",
    cause: "certificate_expires_soon",
    broken: "Renewal stopped working; the certificate is still valid for a day.",
    checks: [
      shop({
        frequencySeconds: 900,
        locations: 1,
        conditions: ["ssl_expiry"],
        course: [broken(20, showing("expiresTomorrow"))],
      }),
    ],
  },
];
