/** Variables that name a file with their value, as container platforms hand over secrets. Pure: the caller reads the files. */

const SUFFIX = "_FILE";

/** An environment whose `<variable>_FILE` entries were replaced by what the files hold. */
export interface WithFiles {
  environment: Record<string, string | undefined>;
  /** One line for each file that can't be used, naming its variable. */
  problems: string[];
}

/**
 * Gives each variable the value in the file that `<variable>_FILE` names, without the line break at its end. Empty variables count
 * as unset.
 * @param variables names that may come from a file; those that end in `_FILE` themselves are left alone
 * @param readFile returns a file's text, or throws
 */
export function readEnvironmentFiles(
  environment: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
  readFile: (path: string) => string,
): WithFiles {
  const read: WithFiles = { environment: { ...environment }, problems: [] };
  for (const variable of variables) {
    const path = environment[variable + SUFFIX];
    if (!path || variable.endsWith(SUFFIX) || variables.includes(variable + SUFFIX)) continue;
    if (environment[variable]) {
      read.problems.push(`${variable}: given twice, also by ${variable}${SUFFIX}; set one of the two`);
      continue;
    }
    try {
      read.environment[variable] = readFile(path).replace(/\r?\n$/, "");
      if (read.environment[variable] === "")
        read.problems.push(`${variable}${SUFFIX}: the file ${path} is empty`);
    } catch (error) {
      read.problems.push(`${variable}${SUFFIX}: can't be read: ${(error as Error).message}`);
    }
  }
  return read;
}
