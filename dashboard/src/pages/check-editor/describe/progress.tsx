/** The parts of a generation that began so far. */
import { Text } from "../../../ui/text.tsx";
import type { GenerationProgress } from "./use-generation.ts";
import { progressText } from "./words.ts";

/** Shows them, each with why the draft before failed. @param props.isUnderWay true: the last one has not ended */
export function ProgressList({
  progress,
  isUnderWay,
}: {
  progress: readonly GenerationProgress[];
  isUnderWay: boolean;
}) {
  if (progress.length === 0) return null;
  return (
    <ol className="plain" aria-label="Progress" aria-busy={isUnderWay}>
      {progress.map((one) => (
        <li key={`${one.phase} ${one.attempt}`} className="quiet">
          {progressText(one)}
          {isUnderWay && one === progress.at(-1) && " …"}
          {one.problem !== null && (
            <p className="note">
              <Text>{one.problem}</Text>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
