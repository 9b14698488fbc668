/**
 * Makes a span of each statement that is sent within a span, such as a request's. Statements of work in the background belong to
 * no trace and get none. A span holds the statement with its placeholders, never the values.
 */
import { type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_QUERY_TEXT,
  ATTR_DB_RESPONSE_STATUS_CODE,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
} from "@opentelemetry/semantic-conventions";
import type pg from "pg";
import { TRACER } from "./traceparent.ts";

/** Source of connections, as a pool takes it. */
interface ConnectionSource {
  connect(settings: pg.ClientConfig): Promise<pg.Client>;
}

type Callback = (error: unknown, result: unknown) => void;
type Query = (...args: unknown[]) => unknown;

/** Longest statement that a span shows, characters. */
const TEXT_MAX = 2_000;

/** Returns a source whose connections trace their statements. */
export function tracedConnections(source: ConnectionSource): ConnectionSource {
  return {
    connect: async (settings) => {
      const client = await source.connect(settings);
      client.query = tracedQuery(client.query.bind(client) as Query) as typeof client.query;
      return client;
    },
  };
}

/** Wraps `client.query`, which takes a callback or returns a promise. A cursor, which hands itself over, is not traced. */
function tracedQuery(query: Query): Query {
  const tracer = trace.getTracer(TRACER);
  return (...args) => {
    const text = textOf(args[0]);
    if (text === undefined || !trace.getActiveSpan()) return query(...args);
    const { operation, summary } = summaryOf(text);
    const span = tracer.startSpan(summary, {
      kind: SpanKind.CLIENT,
      attributes: {
        [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL,
        [ATTR_DB_OPERATION_NAME]: operation,
        [ATTR_DB_QUERY_SUMMARY]: summary,
        [ATTR_DB_QUERY_TEXT]: text.slice(0, TEXT_MAX),
      },
    });
    const callback = args.at(-1);
    if (typeof callback === "function")
      return query(...args.slice(0, -1), (error: unknown, result: unknown) => {
        end(span, error);
        (callback as Callback)(error, result);
      });
    const answer = query(...args);
    if (answer instanceof Promise)
      answer.then(
        () => end(span, undefined),
        (error) => end(span, error),
      );
    else span.end();
    return answer;
  };
}

function textOf(query: unknown): string | undefined {
  if (typeof query === "string") return query;
  const { text, submit } = (query ?? {}) as { text?: unknown; submit?: unknown };
  return typeof text === "string" && typeof submit !== "function" ? text : undefined;
}

/** Returns the statement's first word, and with it the first table that it names: `SELECT checks`. */
function summaryOf(text: string): { operation: string; summary: string } {
  const operation = (/[a-z]+/i.exec(text)?.[0] ?? "statement").toUpperCase();
  const table = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_]+)/i.exec(text.slice(0, TEXT_MAX))?.[1];
  return { operation, summary: table === undefined ? operation : `${operation} ${table}` };
}

function end(span: Span, error: unknown): void {
  if (error) {
    const { code, name } = error as { code?: string; name?: string };
    span.setAttribute(ATTR_ERROR_TYPE, code ?? name ?? "error");
    if (code) span.setAttribute(ATTR_DB_RESPONSE_STATUS_CODE, code);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
