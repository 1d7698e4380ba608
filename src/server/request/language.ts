/** Selects the language of the texts in a response (docs/accounts.md#languages). */
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { acceptedLanguage, type Language, readerLanguage } from '../../domain/languages.ts';

/** The language that the client names, as the model API uses it; undefined if it names none. */
export function requestLanguage({ headers }: FastifyRequest): Language | undefined {
  return acceptedLanguage(headers['accept-language'] ?? '');
}

/** By request, for errors that are sent after the caller was authenticated. */
const accountLanguages = new WeakMap<FastifyRequest, Language>();

export function setAccountLanguage(request: FastifyRequest, language: Language | undefined): void {
  if (language !== undefined) accountLanguages.set(request, language);
}

/** The language of a response of the management API. */
export function managementLanguage(
  ctx: Pick<Context, 'options'>,
  request: FastifyRequest,
): Language {
  return readerLanguage({
    account: accountLanguages.get(request),
    accepted: requestLanguage(request),
    site: ctx.options().get('DefaultLanguage'),
  });
}
