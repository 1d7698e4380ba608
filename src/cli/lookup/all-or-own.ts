/** Falls back to the caller's own data when the caller may not query all users. */
import { AppError } from '../../domain/errors/errors.ts';

/** The same for a page of a list. */
export function listedAllOrOwn<Query, Page>(
  { list, listOwn }: Readonly<Record<'list' | 'listOwn', (query: Query) => Promise<Page>>>,
  query: NoInfer<Query>,
  isNarrowed = false,
): Promise<Page> {
  const own = () => listOwn(query);
  return allOrOwn(() => list(query), own, isNarrowed);
}

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
