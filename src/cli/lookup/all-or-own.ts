/** Falls back to the caller's own data when the caller may not query all users. */
import { AppError } from '../../domain/errors/errors.ts';

/** @param isNarrowed the query names another user, so the caller's own data would be wrong. */
export async function allOrOwn<T>(
  all: () => Promise<T>,
  own: () => Promise<T>,
  isNarrowed = false,
): Promise<T> {
  try {
    return await all();
  } catch (error) {
    const isDenied = error instanceof AppError && error.code === 'permission_denied';
    if (!isDenied || isNarrowed) throw error;
    return own();
  }
}
