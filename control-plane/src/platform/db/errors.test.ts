import { describe, expect, test } from "vitest";
import { isDatabaseUnavailable } from "./errors.ts";

/** Returns an error as pg makes it from what a server sent. */
const serverError = (message: string, fields: { code?: string; where?: string }) =>
  Object.assign(new Error(`SELECT 1 - ${message}`), fields);

const onWorker = { code: "XX000", where: "while executing command on 10.0.0.7:5432" };

describe("a database is unavailable", () => {
  test.each([
    ["a connection that failed", serverError("connection to the remote node failed", { code: "08006" })],
    ["a server that ends", serverError("terminating connection", { code: "57P01" })],
    [
      "a worker of Citus that was lost between two statements",
      serverError("failure on connection marked as essential: 10.0.0.7:5432", { code: "XX000" }),
    ],
    [
      "a worker of Citus that was lost amid a statement",
      serverError("server closed the connection unexpectedly", onWorker),
    ],
    ["a connection that pg lost", new Error("Connection terminated unexpectedly")],
  ])("at %s", (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test.each([
    ["an internal error of the server", serverError("cache lookup failed for type 7", { code: "XX000" })],
    ["an internal error of a worker", serverError("cache lookup failed for type 7", onWorker)],
    [
      "a text of a user that reads like a lost connection",
      serverError('invalid input syntax: "failure on connection marked as essential"', { code: "22P02" }),
    ],
    ["a value that is refused", serverError("duplicate key", { code: "23505" })],
  ])("but not at %s", (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
