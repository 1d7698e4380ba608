/** The error format of a scope's clients. */
import type { FastifyRequest } from 'fastify';
import { DIALECTS } from '../../dialects/all.ts';
import type { DialectName } from '../../dialects/hub/dialect.ts';
import { type Incoming, isAnthropicCall } from '../../relay/call/incoming-call.ts';
import type { ErrorAnswer } from '../../relay/translate/error-response.ts';

export type ErrorFormatter = (
  answer: ErrorAnswer,
  request: FastifyRequest,
) => {
  readonly status: number;
  readonly body: object;
};

/** A formatter that needs no request of the server. */
type PlainFormatter = (answer: ErrorAnswer) => ReturnType<ErrorFormatter>;

/** Formats a catalogue or upstream error in a dialect. */
export function dialectErrorFormatter(name: DialectName): PlainFormatter {
  const { errorStatus = 'status', writeError } = DIALECTS[name];
  return (answer) => {
    const status = answer[errorStatus] ?? answer.status;
    return { status, body: writeError({ ...answer.body.error, status }) };
  };
}

export const openAiErrorFormatter: PlainFormatter = ({ status, body }) => ({ status, body });
const anthropic = dialectErrorFormatter('anthropic');
const gemini = dialectErrorFormatter('gemini');
const responses = dialectErrorFormatter('responses');

/** For a request that reaches no route: by its path, and by the headers that SDKs send. */
export function errorFormatterFor(headers: Incoming['headers'], path: string): PlainFormatter {
  if (/^(\/hf)?\/v1\/responses(\/|$)/.test(path)) return responses;
  if (/^(\/hf)?\/v1\/messages(\/|$)/.test(path) || isAnthropicCall({ headers })) return anthropic;
  const isGemini = /^(\/hf)?(\/v1beta\/|\/v1\/models\/.*:)/.test(path);
  return isGemini || headers['x-goog-api-key'] !== undefined ? gemini : openAiErrorFormatter;
}

export function isManagement(path: string): boolean {
  return /^\/api(\/|$)/.test(path);
}
