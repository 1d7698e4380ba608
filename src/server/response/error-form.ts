/** The error format of a scope's clients. */
import type { FastifyRequest } from 'fastify';
import { DIALECTS } from '../../dialects/all.ts';
import type { DialectName } from '../../dialects/hub/dialect.ts';
import type { ErrorAnswer } from '../../relay/translate/error-response.ts';

export type ErrorFormatter = (
  answer: ErrorAnswer,
  request: FastifyRequest,
) => {
  readonly status: number;
  readonly body: object;
};

export const openAiErrorFormatter: ErrorFormatter = ({ status, body }) => ({ status, body });

/** Formats a catalogue or upstream error in a dialect. */
export function dialectErrorFormatter(name: DialectName): ErrorFormatter {
  const { errorStatus = 'status', writeError } = DIALECTS[name];
  return (answer) => {
    const status = answer[errorStatus] ?? answer.status;
    return { status, body: writeError({ ...answer.body.error, status }) };
  };
}
