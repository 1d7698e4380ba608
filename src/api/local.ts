/**
 * A table of calls as a client that runs in this process. Input and reply pass the same schemas as
 * over HTTP, so both ways refuse and answer alike.
 */
import * as z from 'zod/mini';
import { AppError } from '../domain/errors.ts';
import type { Actor, Call, Calls, Client, Service } from './call.ts';

export type ProblemLanguage = 'en' | 'zh';

const PROBLEM_TEXTS = {
  en: z.locales.en().localeError,
  zh: z.locales.zhCN().localeError,
};

/**
 * Checks what a caller sent.
 * @throws AppError `input_invalid` with the first wrong field (dotted path) and what is wrong.
 */
export function parseInput<C extends Call>(
  { input }: C,
  given: unknown,
  language: ProblemLanguage = 'en',
): z.output<C['input']> {
  const parsed = z.safeParse(input, given, { error: PROBLEM_TEXTS[language] });
  if (parsed.success) return parsed.data as z.output<C['input']>; // the schema is the row's own
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.') || 'input';
  throw new AppError(
    'input_invalid',
    { field, problem: issue?.message ?? '' },
    { param: field, cause: parsed.error },
  );
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
  language: ProblemLanguage = 'en',
): Client<C> {
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    async (given: unknown) => {
      const run = service[name];
      if (run === undefined) throw new Error(`no service function for the call ${name}`);
      const input = parseInput(call, given, language) as Parameters<typeof run>[2]; // by its own schema
      const answer = await run(ctx, actor, input);
      const reply = z.safeParse(call.reply, answer);
      if (reply.success) return reply.data;
      throw new AppError('internal', {}, { cause: reply.error });
    },
  ]);
  return Object.fromEntries(entries) as Client<C>; // one function per row of the same table
}
