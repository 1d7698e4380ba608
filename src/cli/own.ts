/** Who may not ask about everybody is answered about itself. */
import { AppError } from '../domain/errors/errors.ts';

/** @param isNarrowed the question names somebody else, so an answer about the caller would be wrong. */
export async function everybodyOrOwn<T>(
  everybody: () => Promise<T>,
  own: () => Promise<T>,
  isNarrowed = false,
): Promise<T> {
  try {
    return await everybody();
  } catch (error) {
    const isDenied = error instanceof AppError && error.code === 'permission_denied';
    if (!isDenied || isNarrowed) throw error;
    return own();
  }
}
