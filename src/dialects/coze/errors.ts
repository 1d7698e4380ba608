/** Reads Coze's errors. */
import { isObject, objectIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

/** HTTP statuses of error codes. */
const STATUSES: Readonly<Record<string, number>> = {
  4000: 400,
  4001: 400,
  4008: 429,
  4009: 429,
  4011: 402,
  4028: 402,
  4100: 401,
  4101: 403,
  4200: 404,
};

/** `{code, msg}` with status 200, or the error of a failed chat. */
export function readCozeError(json: unknown): UpstreamError | undefined {
  if (!isObject(json)) return undefined;
  const last = objectIn(json, 'last_error');
  const holder = json.status === 'failed' && last !== undefined ? last : json;
  const code = textIn(holder, 'code');
  if (code === undefined || code === '0') return undefined;
  const message = textIn(holder, 'msg') ?? textIn(holder, 'message') ?? `error ${code}`;
  const error = errorInSuccess({ error: { message, code: STATUSES[code] ?? 500, type: code } });
  return error && { ...error, code };
}
