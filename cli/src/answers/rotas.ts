/** Answers of `svc rotas`. */
import { rotaDutySchema, rotaSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField } from "./fields.ts";
import { fragmentDetails } from "./problems.ts";

/** Answers of `svc rotas list`. */
export const rotasList: Answers = { data: z.object({ rotas: z.array(rotaSchema) }) };

/** Answers of `svc rotas get` and `svc rotas override`. */
export const rotasOne: Answers = { data: z.object({ rota: rotaSchema }) };

/** Answers of `svc rotas create`. */
export const rotasCreate: Answers = { data: z.object({ rota: rotaSchema }), details: fragmentDetails };

/** Answers of `svc rotas edit`. */
export const rotasEdit: Answers = {
  data: z.object({ rota: rotaSchema, ...changedField }),
  details: fragmentDetails,
};

/** Answers of `svc rotas schedule`. */
export const rotasSchedule: Answers = {
  data: z.object({ rota: rotaSchema.pick({ id: true, name: true }), schedule: z.array(rotaDutySchema) }),
};
