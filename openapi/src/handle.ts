/** What a judge of responses needs of an OpenAPI document, wherever it was compiled. */

/** A response as a check got it, and what to hold it against. */
export interface ResponseToJudge {
  method: string;
  /** The URL that was asked, after redirects. */
  url: string;
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  bodyText: string;
  contentType: string | undefined;
  /** `METHOD /path/template`; by default the operation is found by URL and method. */
  operationPath?: string;
  validateHeaders: boolean;
}

/** `problems` says, one line each, what does not conform, or why it can't be judged (no such operation). */
export interface ConformanceVerdict {
  conforms: boolean;
  /** The operation that was held against, `METHOD /path/template`. */
  operation?: string;
  problems: string[];
}

/** A compiled document. Never throws for what the target did. */
export interface ApiSpecHandle {
  judge(response: ResponseToJudge): Promise<ConformanceVerdict>;
}
