/** What one run of an MCP check takes in at most: a server must not be able to fill or occupy the agent. */

/** Of one answer and of all answers of a run, bytes. */
export const RUN_BYTES_MAX = 32 * 1024 * 1024;
/** Pages of tools/list; a server that pages at all rarely has ten. */
export const PAGES_MAX = 100;
export const TOOLS_MAX = 10_000;
/** HTTP requests of a run: pages, 50 test calls, answers to the server's own requests, resumed streams. */
export const REQUESTS_MAX = 500;
/** A longer name is refused; the protocol recommends at most 128 characters. */
export const TOOL_NAME_CHARACTERS_MAX = 255;
export const REDIRECTS_MAX = 5;
/** How long the end of the session may take, ms: it decides nothing. */
export const GOODBYE_MS_MAX = 2_000;
