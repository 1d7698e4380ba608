/**
 * Providers that nothing answers any more. Their channels can be kept, imported and edited; a call that
 * would need one is refused, so that nobody is billed for an answer that cannot come.
 */
import { laterRow, type ProviderRow } from './row.ts';

export const LATER_ROWS: readonly ProviderRow[] = [
  laterRow({
    type: 11,
    family: 'gemini',
    baseUrl: '',
    auth: 'x-goog-api-key',
    models: ['PaLM-2'],
    note: 'The service was shut down in 2024: use type 24, Gemini.',
  }),
];
