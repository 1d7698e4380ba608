import type { RateKind } from './model-entry.ts';

/** What rates can be for, in the order in which they are shown. */
export const RATE_KINDS = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'audio_input',
  'audio_output',
  'image_input',
  'image_output',
  'web_search',
  'file_search',
  'code_session',
  'second',
  'character',
  'call',
] as const satisfies readonly RateKind[];
