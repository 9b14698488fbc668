/** The error for connections that the egress policy refuses. Thrown before any packet leaves. */

/** A phrase that names the refused kind of address or name: "a private address". */
export type DenialReason = string;

/**
 * Says that the egress policy refuses a connection. The message names the host as the user wrote it, the reason, and
 * how to allow it. It leaves out the addresses of the name: users read the message, and must not learn the addresses
 * of an internal network.
 */
export class EgressDenied extends Error {
  /** Host as the user wrote it. */
  readonly host: string;
  /** The refused address; undefined when the name alone decides. */
  readonly address: string | undefined;
  readonly reason: DenialReason;

  constructor(denied: { host: string; address?: string | undefined; reason: DenialReason; remedy: string }) {
    super(`connecting to ${denied.host} is not allowed: ${denied.reason}; ${denied.remedy}`);
    this.name = "EgressDenied";
    this.host = denied.host;
    this.address = denied.address;
    this.reason = denied.reason;
  }
}
