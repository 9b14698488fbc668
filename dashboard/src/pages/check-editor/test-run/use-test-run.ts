/** The test run of a form: begun by hand or after changes, and followed until it has ended. */
import { createTestRunSchema, type testRunRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { hasEnded, isPassing, type ShownTestRun, testRunQuery } from "../../../api/queries/test-runs.ts";
import { RequestError, request } from "../../../api/request.ts";
import { type FieldProblem, problemsOfAnswer, problemsOfDraft } from "../../../forms/problems.ts";
import type { CheckDraft } from "../body.ts";
import { testRunOf } from "./body.ts";

/** Rest after the last change before a test run begins by itself. */
const REST_MS = 1_000;

/** A test run as the panel shows it. */
export interface FormTestRun {
  /** The newest one, with the draft that it is of; undefined: there was none. */
  current: { run: ShownTestRun; draft: CheckDraft } | undefined;
  /** True from the start until it has ended at each location. */
  isUnderWay: boolean;
  /** Reasons why the last attempt did not begin. */
  problems: readonly FieldProblem[];
  /** Attempts that were refused. */
  refusals: number;
  /** A failure of reading it. */
  failure: string | undefined;
  start(): Promise<void>;
  /** True: it begins anew after each change that leaves the draft valid. */
  isAutomatic: boolean;
  setAutomatic(isOn: boolean): void;
}

/** Returns the test run of the draft. @param checkId the stored check that is edited; null: a new one */
export function useTestRun(draft: CheckDraft, checkId: string | null): FormTestRun {
  const [begun, setBegun] = useState<{ run: ShownTestRun; draft: CheckDraft }>();
  const [isStarting, setStarting] = useState(false);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [refusals, setRefusals] = useState(0);
  const [isAutomatic, setAutomatic] = useState(false);
  const query = useQuery(testRunQuery(begun?.run.id ?? null));
  const run = query.data?.testRun ?? begun?.run;
  const isUnderWay =
    isStarting || (run !== undefined && !hasEnded(run) && !(query.error && !isPassing(query.error)));

  const start = async () => {
    if (isUnderWay) return;
    const body = testRunOf(draft, checkId);
    const refuse = (found: readonly FieldProblem[]) => {
      setProblems(found);
      if (found.length > 0) setRefusals((count) => count + 1);
    };
    const found = problemsOfDraft(createTestRunSchema, body);
    refuse(found);
    if (found.length > 0) return;
    setStarting(true);
    try {
      const { testRun } = await request<typeof testRunRoutes.create>("POST", "/api/test-runs", {
        body: body as never,
      });
      setBegun({ run: testRun, draft });
    } catch (error) {
      const details = error instanceof RequestError ? error.details : [];
      refuse(
        details.length > 0 ? problemsOfAnswer(details) : [{ path: [], message: (error as Error).message }],
      );
    } finally {
      setStarting(false);
    }
  };

  const newestStart = useRef(start);
  newestStart.current = start;
  const text = JSON.stringify(testRunOf(draft, checkId));
  const ranText = useRef(text);
  useEffect(() => {
    if (!isAutomatic || isUnderWay || text === ranText.current) return;
    const timer = setTimeout(() => {
      ranText.current = text;
      if (problemsOfDraft(createTestRunSchema, JSON.parse(text)).length === 0) void newestStart.current();
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [text, isAutomatic, isUnderWay]);

  return {
    current: begun && run && { run, draft: begun.draft },
    isUnderWay,
    problems,
    refusals,
    failure: query.error?.message,
    start,
    isAutomatic,
    setAutomatic,
  };
}
