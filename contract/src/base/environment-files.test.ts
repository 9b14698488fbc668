import { describe, expect, it } from "vitest";
import { readEnvironmentFiles } from "./environment-files.ts";

const FILES: Record<string, string> = { "/a": "secret\n", "/b": "two\nlines\r\n", "/empty": "\n" };
const readFile = (path: string) => {
  const text = FILES[path];
  if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
  return text;
};
const read = (environment: Record<string, string>, ...variables: string[]) =>
  readEnvironmentFiles(environment, variables, readFile);

describe("readEnvironmentFiles", () => {
  it("gives a variable what the file holds, without the last line break", () => {
    const { environment, problems } = read({ KEY_FILE: "/a", TEXT_FILE: "/b", OTHER: "x" }, "KEY", "TEXT");
    expect(problems).toEqual([]);
    expect(environment).toMatchObject({ KEY: "secret", TEXT: "two\nlines", OTHER: "x" });
  });

  it("reads files of the named variables alone, and lets empty variables be", () => {
    expect(read({ KEY_FILE: "/missing", TEXT_FILE: "" }, "TEXT")).toEqual({
      environment: { KEY_FILE: "/missing", TEXT_FILE: "" },
      problems: [],
    });
    expect(read({ KEY: "", KEY_FILE: "/a" }, "KEY").environment.KEY).toBe("secret");
  });

  it("leaves alone a setting that is a file's path itself", () => {
    expect(read({ CERT_FILE: "/missing" }, "CERT", "CERT_FILE").problems).toEqual([]);
    expect(read({ CERT_FILE_FILE: "/missing" }, "CERT_FILE").problems).toEqual([]);
  });

  it.each([
    [{ KEY: "x", KEY_FILE: "/a" }, "KEY: given twice, also by KEY_FILE; set one of the two"],
    [{ KEY_FILE: "/empty" }, "KEY_FILE: the file /empty is empty"],
    [{ KEY_FILE: "/no" }, "KEY_FILE: can't be read: ENOENT: no such file or directory, open '/no'"],
  ])("of %o says what is wrong", (environment, problem) => {
    expect(read(environment, "KEY").problems).toEqual([problem]);
  });
});
