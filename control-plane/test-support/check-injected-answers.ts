/** Holds each answer that a test gets by `inject` against the OpenAPI document. */
import { gunzipSync } from "node:zlib";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import type { ApiApp } from "../src/platform/http/api.ts";
import { AnswerChecker, type ObservedAnswer } from "./answer-checker.ts";
import { wholeApiChecker } from "./api-document.ts";

/**
 * Makes `app.inject` reject for an answer that differs from the whole service's OpenAPI document. Routes that only
 * tests have are known from the app's own document; of their answers the errors alone are checked.
 */
export async function checkInjectedAnswers(app: ApiApp): Promise<void> {
  const inject: (options: InjectOptions | string) => Promise<LightMyRequestResponse> = app.inject.bind(app);
  const whole = await wholeApiChecker();
  let own: AnswerChecker | undefined;
  const checked = async (options: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const response = await inject(options);
    const answer = answerTo(options, response);
    const problem = isSuccessOfTestRoute(answer) ? undefined : whole.problemOf(answer);
    if (problem) throw new Error(problem);
    return response;
  };
  app.inject = checked as typeof app.inject;

  function isSuccessOfTestRoute({ method, path, status }: ObservedAnswer): boolean {
    if (status >= 400 || whole.describes(method, path)) return false;
    own ??= new AnswerChecker(JSON.parse(app.apiDescription()));
    return own.describes(method, path);
  }
}

function answerTo(options: InjectOptions | string, response: LightMyRequestResponse): ObservedAnswer {
  return {
    ...requestOf(options),
    status: response.statusCode,
    contentType: response.headers["content-type"]?.toString(),
    body:
      response.headers["content-encoding"] === "gzip"
        ? gunzipSync(response.rawPayload).toString()
        : response.body,
  };
}

function requestOf(options: InjectOptions | string): { method: string; path: string } {
  if (typeof options === "string") return { method: "GET", path: options };
  const { method = "GET", url = "/", path = url } = options;
  return { method, path: typeof path === "string" ? path : (path.pathname ?? "/") };
}
