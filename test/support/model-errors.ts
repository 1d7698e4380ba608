/** Which rows of the catalogue are errors of model calls. */
import { ERRORS, type ErrorCode } from '../../src/domain/errors/errors.ts';

/** In the catalogue, the rows before this one are errors of model calls. */
const FIRST_OF_MANAGEMENT: ErrorCode = 'body_type_unknown';
/** Stand among them, but are errors of management calls that ask an upstream. */
const OF_MANAGEMENT: ReadonlySet<string> = new Set<ErrorCode>([
  'upstream_status',
  'upstream_status_only',
]);
/** Errors of both. */
const OF_BOTH: ReadonlySet<string> = new Set<ErrorCode>([
  'database_unreachable',
  'database_not_writable',
  'limits_unavailable',
  'internal',
  'fetch_refused',
  'fetch_failed',
]);

/** The errors that a model call can return, in the order of the catalogue. */
export function modelErrorCodes(): ErrorCode[] {
  const codes = Object.keys(ERRORS) as ErrorCode[]; // the table's own keys
  const end = codes.indexOf(FIRST_OF_MANAGEMENT);
  return codes.filter((code, index) =>
    index < end ? !OF_MANAGEMENT.has(code) : OF_BOTH.has(code),
  );
}
