/**
 * Capability of a runner that has a key to which secrets of teams can be sealed. Agents don't announce it: it follows
 * from the key in their Hello.
 */
export const VAULT_CAPABILITY = "vault";
