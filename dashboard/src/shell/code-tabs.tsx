/** The two tabs of a record's page: what the page is about, and the record as code. The address names the open one. */
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import type { RecordKind } from "../api/queries/as-code.ts";
import { Tabs } from "../ui/tabs.tsx";
import { RecordAsCode } from "./record-as-code.tsx";

const CODE = { key: "code", title: "As code" } as const;

/** Shows the tabs. The first one stays as it is while the other one is open, so that a form keeps what was typed. */
export function CodeTabs({
  name,
  title,
  kind,
  id,
  children,
}: {
  /** Of the list of tabs. */
  name: string;
  /** Of the first tab. */
  title: string;
  kind: RecordKind;
  id: string;
  /** The first tab. */
  children: ReactNode;
}) {
  const [search, setSearch] = useSearchParams();
  const isCode = search.get("tab") === CODE.key;
  const choose = (key: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.delete("tab");
      if (key === CODE.key) next.set("tab", key);
      return next;
    });
  return (
    <Tabs
      name={name}
      tabs={[{ key: "main", title }, CODE]}
      chosen={isCode ? CODE.key : "main"}
      onChoose={choose}
    >
      <div hidden={isCode}>{children}</div>
      {isCode && <RecordAsCode kind={kind} id={id} />}
    </Tabs>
  );
}
