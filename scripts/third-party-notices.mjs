/** The licences of what is bundled: a package that holds others' code hands on their terms. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./ensure.mjs";

const LICENCE_FILE = /^(licen[cs]e|copying|notice|third-?party-?notices?)([.-].*)?$/i;

/**
 * Returns the text of THIRD-PARTY-NOTICES.
 * @param folders the folders of the bundled packages, relative to the repository
 */
export function thirdPartyNotices(folders) {
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const files = readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
      .map((entry) => readFileSync(join(root, folder, entry.name), "utf8").trim());
    const texts =
      files.length > 0 ? files : [`The package holds no licence file; its licence is ${license}.`];
    return `${name} ${version} (${license})\n\n${[...new Set(texts)].join("\n\n")}\n`;
  });
  const rule = `\n${"-".repeat(80)}\n\n`;
  return `This package holds code of these packages, under the licences that follow.\n${rule}${sections.join(rule)}`;
}
