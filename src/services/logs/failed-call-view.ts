/** A failed call as `gateway explain` shows it: the response, and why nothing was charged. */
import type * as z from 'zod/mini';
import type { FailedCall } from '../../api/billing/ledger.ts';
import { AppError, ERRORS, type ErrorCode, type ErrorParams } from '../../domain/errors/errors.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { errorText, type Language, translator } from '../../locales/text.ts';
import type { FailedCallRow } from '../../store/logs/failed-calls.ts';

type Outcome = z.output<typeof FailedCall>['outcome'];

export function failedCallView(
  call: FailedCallRow,
  language: Language,
): z.input<typeof FailedCall> {
  const { params, attempts: _, ...row } = call;
  const error = errorOf(row, params);
  const outcome = outcomeOf(call);
  return {
    ...row,
    code: error?.row.wire ?? row.code,
    message: error === undefined ? '' : errorText(error, language),
    outcome,
    no_charge: translator(language)(`no_charge.${outcome}`),
  };
}

export function failedCallAttempts({ attempts }: FailedCallRow): Record<string, unknown>[] {
  const list: unknown = JSON.parse(attempts || '[]');
  return Array.isArray(list) ? list : [];
}

function outcomeOf(row: FailedCallRow): Outcome {
  if (row.source === 'client') return 'client_left';
  return failedCallAttempts(row).length > 0 ? 'failed' : 'refused';
}

/** Undefined for upstream errors: their messages are in the attempts. */
function errorOf({ source, code }: Pick<FailedCallRow, 'source' | 'code'>, params: string) {
  if (source !== 'gateway' || !isErrorCode(code)) return undefined;
  // They were stored from an error's parameters.
  return new AppError(code, parsedObject(params) as ErrorParams);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
