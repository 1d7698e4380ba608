/** An endpoint for images, audio, rerank or embeddings. */
import type * as z from 'zod/mini';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import type { Plan } from '../plans/plan.ts';

export interface Medium {
  readonly schema: z.ZodMiniType | undefined;
  /** `host`: the Host header of the request, used in URLs of stored files. */
  readonly answer: (body: unknown, plan: Plan, host: string) => Answer;
  /** The model is in the path, or there is none. */
  readonly modelInPath?: true;
}

/** Receives the schema's own output; refused bodies do not reach it. */
export function medium<S extends z.ZodMiniType>(
  schema: S,
  answer: (body: z.output<S>, plan: Plan, host: string) => Answer,
): Medium {
  // The body was parsed by this schema.
  return { schema, answer: (body, plan, host) => answer(body as z.output<S>, plan, host) };
}

/** Answers with JSON. */
export function jsonMedium<S extends z.ZodMiniType>(
  schema: S,
  value: (body: z.output<S>, plan: Plan, host: string) => object,
): Medium {
  return medium(schema, (body, plan, host) => jsonAnswer(value(body, plan, host), plan));
}

export function unnamed(one: Medium): Medium {
  return { ...one, modelInPath: true };
}
