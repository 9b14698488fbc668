/** Why a connection to a user-given address was refused. Thrown before any packet leaves. */

/** What the address (or name) is, in words that fit after "which is". */
export type DenialReason = string;

/** The egress policy does not let anything connect there. The message names host, address, why, and how to allow it. */
export class EgressDenied extends Error {
  /** Host as the user wrote it. */
  readonly host: string;
  /** The address that is refused; absent when the name alone decides. */
  readonly address: string | undefined;
  readonly reason: DenialReason;

  constructor(denied: { host: string; address?: string | undefined; reason: DenialReason; remedy: string }) {
    const where =
      denied.address === undefined || denied.address === denied.host
        ? denied.host
        : `${denied.host} (${denied.address})`;
    super(`connecting to ${where} is not allowed: ${denied.reason}; ${denied.remedy}`);
    this.name = "EgressDenied";
    this.host = denied.host;
    this.address = denied.address;
    this.reason = denied.reason;
  }
}
