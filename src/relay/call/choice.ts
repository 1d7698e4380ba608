/** The channel and key that an attempt uses. */
import type { ChannelEntry, ChannelKey } from '../../services/cache/routing-cache.ts';

export interface Choice {
  readonly channel: ChannelEntry;
  readonly key: ChannelKey;
}
