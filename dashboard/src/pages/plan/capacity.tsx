/** What a plan does to the capacity of the locations that it touches. */
import { type CapacityStep, capacityStepWords, capacityWarning } from "@svc/contract";
import { Empty } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows a line for each location, as the command line printed it, and the warnings. */
export function PlanCapacity({ steps }: { steps: readonly CapacityStep[] }) {
  if (steps.length === 0) return <Empty>It changes nothing of what runs.</Empty>;
  return (
    <ul className="plain" aria-label="Capacity of the locations">
      {steps.map((step) => {
        const warning = capacityWarning(step.name, step.after, { isPlanned: true });
        return (
          <li key={step.locationId}>
            <Text>{step.name}</Text>: {capacityStepWords(step).join(", ")}
            {warning !== undefined && (
              <p className="problem">
                <Text>{warning}</Text>
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
