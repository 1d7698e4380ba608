/** All known providers, by channel type. */
import { AppError } from '../../domain/errors/errors.ts';
import type { ProviderRow } from './provider-row.ts';
import { CHINA_ROWS } from './rows-china.ts';
import { CLASSIC_ROWS } from './rows-classic.ts';
import { DIALECT_ROWS } from './rows-dialects.ts';
import { NEWER_ROWS } from './rows-newer.ts';
import { OWN_ROWS } from './rows-own.ts';
import { TASK_ROWS } from './rows-tasks.ts';
import { UNSUPPORTED_ROWS } from './rows-unsupported.ts';

/** The date of the last review of the default model lists. */
export const MODELS_AS_OF = '2026-11-21';

/** Sorted by type number. */
export const PROVIDERS: readonly ProviderRow[] = [
  ...CLASSIC_ROWS,
  ...CHINA_ROWS,
  ...NEWER_ROWS,
  ...DIALECT_ROWS,
  ...OWN_ROWS,
  ...TASK_ROWS,
  ...UNSUPPORTED_ROWS,
].toSorted((a, b) => a.type - b.type);

const BY_TYPE = new Map(PROVIDERS.map((row) => [row.type, row]));

/**
 * The row of a channel type. Unknown types are treated like OpenAI, under their own number, so that
 * an imported channel of another product keeps working if its server is compatible.
 */
export function providerOf(type: number): ProviderRow {
  const known = BY_TYPE.get(type);
  if (known) return known;
  const openAi = BY_TYPE.get(1);
  if (!openAi) throw new AppError('internal');
  return { ...openAi, type, slug: `type-${type}`, name: `type ${type}`, baseUrl: '' };
}
