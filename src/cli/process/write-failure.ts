/** Error for a file or output stream that could not be written. */
import { AppError } from '../../domain/errors/errors.ts';

/** @param target a path, or the name of the stream. */
export function writeFailure(target: string, cause: Error): AppError {
  return new AppError('write_failed', { target, reason: cause.message }, { cause });
}

/** Runs `work`, which writes `path`; file system errors are reported with that path. */
export async function withWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOfFileSystem(error) ? writeFailure(path, error) : error;
  }
}

/** System calls of file errors; socket errors come from other calls. */
const CALLS = new Set(['open', 'write', 'writev', 'fsync', 'close', 'mkdir', 'rename']);

function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    'syscall' in error &&
    typeof error.syscall === 'string' &&
    CALLS.has(error.syscall)
  );
}
