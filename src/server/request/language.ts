/** Selects the language of the texts in a response (docs/accounts.md#languages). */
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { acceptedLanguage, type Language, readerLanguage } from '../../domain/languages.ts';

/** The language that the client names, as the model API uses it; undefined if it names none. */
export function requestLanguage({ headers }: FastifyRequest): Language | undefined {
  return acceptedLanguage(headers['accept-language'] ?? '');
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the authenticated caller, for errors as well; undefined before, and without a choice. */
    accountLanguage: Language | undefined;
  }
}

/** The language of a response of the management API. */
export function managementLanguage(
  ctx: Pick<Context, 'options'>,
  request: FastifyRequest,
): Language {
  return readerLanguage({
    account: request.accountLanguage,
    accepted: requestLanguage(request),
    site: ctx.options().get('DefaultLanguage'),
  });
}
