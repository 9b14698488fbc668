/** The order to send one request over one connection, whichever version of HTTP that speaks. */
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** One request and the decision how much of its response is read. */
export interface Exchange {
  request: HttpRequest;
  /** Decides from the response's headers whether to wait for its body. */
  wantsBody: (response: HttpResponse) => boolean;
}
