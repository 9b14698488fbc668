/** Input and result of judging one response by an OpenAPI document; both cross the border of the worker thread. */

/** A response as a check received it, and the options of the judgement. */
export interface ResponseToJudge {
  method: string;
  /** The URL that answered, after redirects. */
  url: string;
  status: number;
  /** Names are in lower case. */
  headers: Record<string, string>;
  bodyText: string;
  contentType: string | undefined;
  /** `METHOD /path/template`. When absent, the operation is found by URL and method. */
  operationPath?: string;
  validateHeaders: boolean;
}

/** The engine's finding about one response. */
export interface ConformanceResult {
  conforms: boolean;
  /** The operation that the response was judged by, `METHOD /path/template`; absent when none was found. */
  operation?: string;
  /** One line for each deviation, or the reason why the response can't be judged (such as no matching operation). */
  problems: string[];
}
