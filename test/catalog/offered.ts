/** The model names that provider types suggest. */
import { PROVIDERS } from '../../src/providers/rows/provider-rows.ts';

export function offeredNames(): readonly string[] {
  return [...new Set(PROVIDERS.flatMap(({ models }) => models))];
}
