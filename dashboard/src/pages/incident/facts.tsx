/** Lists of facts: each says first what it is about. */
import { Text } from "../../ui/text.tsx";
import type { Fact } from "./fact-words.ts";

/** Shows the facts under their title, which names the list; nothing when there are none. */
export function Facts({ title, facts }: { title: string; facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="plain fact-list" aria-label={title}>
        {facts.map(({ about, text }) => (
          <li key={`${about} ${text}`}>
            <span className="fact-about">{about}</span> <Text>{text}</Text>
          </li>
        ))}
      </ul>
    </div>
  );
}
