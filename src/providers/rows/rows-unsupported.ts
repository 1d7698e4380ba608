/**
 * Providers whose service no longer exists. Their channels can be stored, imported and edited;
 * calls to them are rejected, so that no user is charged.
 */
import { type ProviderRow, unsupportedRow } from './provider-row.ts';

export const UNSUPPORTED_ROWS: readonly ProviderRow[] = [
  unsupportedRow({
    type: 11,
    family: 'gemini',
    baseUrl: '',
    auth: 'x-goog-api-key',
    models: ['PaLM-2'],
    note: 'The service was shut down in 2024: use Gemini (24).',
  }),
];
