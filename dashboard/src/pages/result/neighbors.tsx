/** Links to the results before and after one at its location, which the keys [ and ] follow, too. */
import { pagePath } from "@svc/contract";
import { useEffect } from "react";
import { Link, useLocation } from "wouter";

/** Shows the links. @param props.previousId null: there is none */
export function Neighbors({
  checkId,
  previousId,
  nextId,
}: {
  checkId: string;
  previousId: string | null;
  nextId: string | null;
}) {
  const [, navigate] = useLocation();
  useEffect(() => {
    const follow = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const isTyping = target instanceof HTMLElement && target.matches("input, textarea, select");
      const id = key === "[" ? previousId : key === "]" ? nextId : null;
      if (id === null || isTyping || ctrlKey || metaKey || altKey) return;
      navigate(pagePath("result", { id: checkId, resultId: id }));
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [checkId, previousId, nextId, navigate]);
  return (
    <>
      {previousId !== null && (
        <Link href={pagePath("result", { id: checkId, resultId: previousId })}>Previous result</Link>
      )}
      {nextId !== null && (
        <Link href={pagePath("result", { id: checkId, resultId: nextId })}>Next result</Link>
      )}
    </>
  );
}
