/**
 * Why something failed, in the gateway's own terms: an event, or an error of the catalogue. Stored
 * as codes with parameters, and worded when read (`recordedText` in `src/locales/event-text.ts`).
 */
import { AppError, type ErrorCode, type ErrorParams, isErrorCode } from '../errors/errors.ts';
import type { GatewayEvent } from './events.ts';

interface RecordedError {
  readonly error: ErrorCode;
  /** Left out where there are none. */
  readonly params?: ErrorParams;
}

export type Reason = GatewayEvent | RecordedError;

export function recordedError({ code, params }: AppError): RecordedError {
  return Object.keys(params).length === 0 ? { error: code } : { error: code, params };
}

/** The error among stored facts; undefined for other texts, such as entries of other programs. */
export function errorIn(facts: Readonly<Record<string, unknown>>): AppError | undefined {
  const { error, params } = facts;
  if (typeof error !== 'string' || !isErrorCode(error)) return undefined;
  return new AppError(error, Object(params) as ErrorParams); // as `recordedError` made it
}
