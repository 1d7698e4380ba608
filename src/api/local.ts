/**
 * A table of calls as a client that runs in this process. Input and reply pass the same schemas as
 * over HTTP, so both ways refuse and answer alike.
 */
import * as z from 'zod/mini';
import { AppError } from '../domain/errors/errors.ts';
import { invalidInput } from '../domain/errors/input-problems.ts';
import { isTooDeep } from '../domain/text/json-depth.ts';
import {
  type Actor,
  type Call,
  type Calls,
  type Client,
  type Service,
  terminalVisit,
  type Visit,
} from './call.ts';
import { messageOf, problemIn } from './input-problem.ts';

/**
 * Checks what a caller sent.
 * @throws AppError `input_invalid` with the first wrong field (dotted path) and what is wrong.
 */
export function parseInput<C extends Call>({ input }: C, given: unknown): z.output<C['input']> {
  return parseBy(input, given) as z.output<C['input']>; // the schema is the row's own
}

/** The same for a document that no call takes whole. @throws AppError `input_invalid`. */
export function parseBy<S extends z.ZodMiniType>(schema: S, given: unknown): z.output<S> {
  const deep = Object.entries(Object(given)).find(([, value]) => isTooDeep(value));
  if (deep !== undefined) throw invalidInput(deep[0], 'too_deep');
  const unstorable = pathOfUnstorable(given);
  if (unstorable !== undefined) throw invalidInput(unstorable, 'has_nul');
  const parsed = z.safeParse(schema, given, { error: messageOf });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.') || 'input';
  const { reason, params } = problemIn(issue?.message ?? '');
  throw invalidInput(field, reason, params, parsed.error);
}

/** Where a text stands that no database keeps: with a NUL in it. Undefined when all can be stored. */
function pathOfUnstorable(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\u0000') ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = pathOfUnstorable(inner, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The client of `calls` that asks `service` directly, as `actor`.
 * @throws what the service throws; `internal` when a reply does not fit its schema.
 */
export function local<C extends Calls, Ctx>(
  calls: C,
  service: Service<C, Ctx>,
  ctx: Ctx,
  actor: Actor,
  language: Visit['language'] = 'en',
): Client<C> {
  const visit = terminalVisit(language);
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    async (given: unknown) => {
      const run = service[name];
      if (run === undefined) throw new Error(`no service function for the call ${name}`);
      const input = parseInput(call, given) as Parameters<typeof run>[2]; // by its own schema
      const answer = await run(ctx, actor, input, visit);
      const reply = z.safeParse(call.reply, answer);
      if (reply.success) return reply.data;
      throw new AppError('internal', {}, { cause: reply.error });
    },
  ]);
  return Object.fromEntries(entries) as Client<C>; // one function per row of the same table
}
