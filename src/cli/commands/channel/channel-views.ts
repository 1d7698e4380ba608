/** The columns of channels. */
import { CHANNEL_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';

export const VIEW: View = {
  columns: [
    'id',
    'name',
    'type',
    'status',
    'health',
    'group',
    'models',
    'priority',
    'weight',
    'used_quota',
  ],
  wide: [
    'failing_since',
    'tag',
    'base_url',
    'response_time',
    'test_time',
    'test_ok',
    'balance',
    'cost',
    'key',
  ],
  words: CHANNEL_WORDS,
};
export const BRIEF: View = {
  ...VIEW,
  columns: ['id', 'name', 'status', 'group', 'models'],
  brief: true,
};
