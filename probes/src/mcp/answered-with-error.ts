/** The server answered a request with a JSON-RPC error: what that means is up to who asked. The message is the server's. */
export class AnsweredWithError extends Error {}
