/** How a config is written as YAML. */
import { Document, isScalar, visit } from "yaml";

/** Returns a value as the YAML of a config: long texts as blocks, no line folded. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    // An unquoted << would be read as a merge key.
    Pair: (_index, { key }) => {
      if (isScalar(key) && key.value === "<<") key.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, defaultStringType: "PLAIN" });
}

/** Returns the comment line, with its line break, that points editors with the YAML language server to the schema. */
export function schemaComment(apiUrl: string): string {
  return `# yaml-language-server: $schema=${apiUrl}/svc.config.schema.json\n`;
}
