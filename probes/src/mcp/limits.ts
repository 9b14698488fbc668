/** Limits the answers that one run of an MCP check reads. A server must not be able to fill or occupy the agent. */

/** Bytes of one answer, and of all answers of a run together. */
export const RUN_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of one message: to parse 4 MiB of escaped text takes about 30 ms of the event loop. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Values of one message: arrays, objects, their members and items. To parse so many, and to sort the members of one
 * schema by name, takes about 30 ms of the event loop. A hundred tools of ten parameters have about 4,000.
 */
export const VALUES_MAX = 20_000;
/** Most members of a message, those of all messages of a batch together. A message has four. */
export const MEMBERS_MAX = 1_000;
/** Lines of one event stream: its parser keeps some objects for each until the event ends. */
export const STREAM_LINES_MAX = 500_000;
/** Pages of tools/list. A server that pages at all rarely has ten. */
export const PAGES_MAX = 100;
/** Tools of one server. A server with more is refused. */
export const TOOLS_MAX = 10_000;
/** HTTP requests of a run: pages, 50 test calls, answers to the server's own requests, resumed streams. */
export const REQUESTS_MAX = 500;
/** Characters of a tool's name. The protocol recommends at most 128; longer names than this are refused. */
export const TOOL_NAME_CHARACTERS_MAX = 255;
/** Redirects that one request follows. */
export const REDIRECTS_MAX = 5;
/** Time limit of ending the session. Nothing depends on that end. */
export const GOODBYE_MS_MAX = 2_000;
