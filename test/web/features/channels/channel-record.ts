/** A channel as the gateway answers it. */
import { NewChannel } from '../../../../src/api/channels/channel.ts';
import type { Channel } from '../../../../web/src/features/channels/calls.ts';

export const channel = (change: Partial<Channel> = {}): Channel => ({
  ...NewChannel.parse({ name: 'main', key: 'sk-***', models: 'gpt-4o' }),
  id: 1,
  keys: [],
  other_info: '',
  created_time: 0,
  test_time: 0,
  response_time: 0,
  test_ok: null,
  health: 'unknown',
  failing_since: 0,
  latest_outcome: null,
  balance: 0,
  balance_currency: '',
  balance_updated_time: 0,
  used_quota: 0,
  ...change,
});
