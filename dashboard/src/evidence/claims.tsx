/** Sentences that a language model worded, each with links to the facts that bear it out, and those facts. */
import { Text } from "../ui/text.tsx";

/** A sentence, and the facts that bear it out, by index. */
interface Claim {
  text: string;
  facts: readonly number[];
}

/** Shows the sentences. @param props.factsKey key of the {@link ClaimFacts} beside them */
export function Claims({ claims, factsKey }: { claims: readonly Claim[]; factsKey: string }) {
  return claims.map(({ text, facts }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two claims may have one text, and their order does not change
    <span key={index}>
      <Text>{text}</Text>{" "}
      {facts.map((fact) => (
        <a key={fact} href={`#${factId(factsKey, fact)}`} aria-label={`Fact ${fact + 1}`}>
          [{fact + 1}]
        </a>
      ))}{" "}
    </span>
  ));
}

/** Lists the facts by the numbers that the sentences name. */
export function ClaimFacts({ facts, factsKey }: { facts: readonly string[]; factsKey: string }) {
  return (
    <ol aria-label="Evidence">
      {facts.map((sentence, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts are known by their positions, which do not change
        <li key={index} id={factId(factsKey, index)}>
          <Text>{sentence}</Text>
        </li>
      ))}
    </ol>
  );
}

function factId(key: string, index: number): string {
  return `${key}-fact-${index + 1}`;
}

/** Marks a text as a language model's. */
export function ModelMark({ model }: { model: string }) {
  return (
    <span className="tag">
      Worded by the language model <Text>{model}</Text>
    </span>
  );
}
