/** What a package needs of the lockfile: its dependencies, theirs and so on, each in the version that was tested. */

/**
 * Returns the lockfile's entries, by path, that a package with these dependencies needs. An entry that is only reached by an
 * optional dependency is marked `optional`, so that an installation goes on without it.
 * @param lock the lockfile
 * @param names.required dependencies
 * @param names.optional optional dependencies
 */
export function closureOf(lock, { required, optional }) {
  const needed = new Set();
  for (const name of required) visit(lock, locate(lock, "", name), { seen: needed, withOptional: false });
  const all = new Set();
  for (const name of [...required, ...optional])
    visit(lock, locate(lock, "", name), { seen: all, withOptional: true });
  return Object.fromEntries(
    [...all].sort().map((path) => {
      const { dev: _, devOptional: __, peer: ___, optional: ____, ...entry } = lock.packages[path];
      return [path, needed.has(path) ? entry : { ...entry, optional: true }];
    }),
  );
}

/** Returns the version that the lockfile has of a package. */
export function lockedVersion(lock, name) {
  return lock.packages[locate(lock, "", name)].version;
}

/** Notes an entry and all that it needs. */
function visit(lock, path, { seen, withOptional }) {
  if (seen.has(path)) return;
  seen.add(path);
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[path];
  for (const name of Object.keys(dependencies ?? {}))
    visit(lock, locate(lock, path, name), { seen, withOptional });
  for (const name of Object.keys(peerDependencies ?? {}))
    if (!peerDependenciesMeta?.[name]?.optional)
      visit(lock, locate(lock, path, name), { seen, withOptional });
  if (!withOptional) return;
  for (const name of Object.keys(optionalDependencies ?? {})) {
    const found = find(lock, path, name);
    if (found !== undefined) visit(lock, found, { seen, withOptional });
  }
}

function locate(lock, from, name) {
  const found = find(lock, from, name);
  if (found === undefined) throw new Error(`the lockfile has no ${name}, which ${from || "a package"} needs`);
  return found;
}

/** Looks where Node does: in the `node_modules` of the package itself, then of those around it. */
function find(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lock.packages[path] !== undefined) return path;
    if (folder === "") return undefined;
  }
}
