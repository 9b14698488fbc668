/** The form that adds a note to an incident. */
import type { incidentRoutes } from "@svc/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { request } from "../../api/request.ts";

const LENGTH_MAX = 10_000;

/** Shows the form. What was written stays until it is stored. */
export function AddNote({ id }: { id: string }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      request<typeof incidentRoutes.addNote>("POST", "/api/incidents/:id/notes", {
        params: { id },
        body: { body: text },
      }),
    onSuccess: () => {
      setText("");
      return client.invalidateQueries({ queryKey: ["incident", id] });
    },
  });
  const add = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={add} className="add-note">
      <label>
        Add a note
        <textarea
          value={text}
          rows={2}
          maxLength={LENGTH_MAX}
          onChange={({ target: { value } }) => setText(value)}
        />
      </label>
      {error && (
        <p role="alert" className="problem">
          {error.message}
        </p>
      )}
      <button type="submit" disabled={text.trim() === "" || isPending}>
        Add note
      </button>
    </form>
  );
}
