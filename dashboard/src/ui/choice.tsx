/** A choice out of a few values. */
import { plainText } from "./text.tsx";

/** Shows a labelled list to choose from. @param props.options values with their words */
export function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, word: string])[];
  onChoose(value: string): void;
}) {
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map(([one, word]) => (
          <option key={one} value={one}>
            {plainText(word)}
          </option>
        ))}
      </select>
    </label>
  );
}
