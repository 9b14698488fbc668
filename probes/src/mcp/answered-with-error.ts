/**
 * A JSON-RPC error by which the server answered a request. Its meaning is up to the caller; the message is the
 * server's.
 */
export class AnsweredWithError extends Error {}
