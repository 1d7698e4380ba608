import { AppError } from '../../../src/domain/errors/errors.ts';
import { parseOption } from '../../../src/domain/options/parse.ts';
import { OptionValues } from '../../../src/domain/options/registry.ts';

export function given(texts: Record<string, string> = {}): (key: string) => string {
  const values = new OptionValues(new Map(Object.entries(texts)));
  return (key) => values.raw(key);
}

/** The reason why a value is refused, or the text that would be stored. */
export function outcome(key: string, value: unknown, texts: Record<string, string> = {}): string {
  try {
    return `stored ${parseOption(key, value, given(texts)).stored}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return String(error.params.reason ?? error.code);
  }
}
