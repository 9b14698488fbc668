/** What must hold before a release is made. */

/**
 * Returns why there can be no release, a line each; empty: nothing stands against it.
 * @param versions versions of all packages, by folder; the project's own is that of `.`
 * @param changelog text of CHANGELOG.md
 * @param git.tags tags of the commit; git.isClean: nothing differs from it; undefined: a dry run, which needs no tag
 */
export function refusals({ versions, changelog, git }) {
  const version = versions["."];
  const lines = Object.entries(versions)
    .filter(([, one]) => one !== version)
    .map(([folder, one]) => `${folder}/package.json has version ${one}; the project has ${version}`);
  if (releaseNotes({ version, changelog, isDryRun: git === undefined }) === "")
    lines.push(`CHANGELOG.md has no section "## ${version}"`);
  if (git && !git.tags.includes(`v${version}`)) lines.push(`the commit has no tag v${version}`);
  if (git && !git.isClean) lines.push("the working folder differs from the commit");
  return lines;
}

/** Returns the version's section of the CHANGELOG; of a dry run between two releases the one that is yet to get a version. */
export function releaseNotes({ version, changelog, isDryRun }) {
  return sectionOf(changelog, version) || (isDryRun ? sectionOf(changelog, "Unreleased") : "");
}

/** Returns the text below a heading such as `## 1.2.0` or `## 1.2.0 - 2026-01-31`; empty when there is none. */
function sectionOf(changelog, title) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((one) => one.split(/\s/, 1)[0]?.replace(/[[\]]/g, "") === title);
  return section === undefined ? "" : section.slice(section.indexOf("\n")).trim();
}
