/**
 * Options for relaying model calls. The last five are kept because existing installations store
 * them; they are never read.
 */
import type { OptionRows } from '../row.ts';
import { CHOICE, COUNT, SWITCH } from '../row-bases.ts';

export const relayOptions = {
  RetryTimes: COUNT,
  FirstContentTimeoutSeconds: { ...COUNT, max: 3600 },
  ChannelAffinity: { ...CHOICE, fallback: 'prompt', choices: ['off', 'session', 'prompt'] },
  ChannelAffinityMinutes: { ...COUNT, fallback: '5', min: 1, max: 1440 },
  KeyRestSeconds: { ...COUNT, fallback: '30', max: 300 },
  'global.pass_through_request_enabled': SWITCH,
  'global.hide_upstream_error_enabled': SWITCH,
  'global.block_browser_extension_enabled': SWITCH,
  'general_setting.ping_interval_enabled': SWITCH,
  'general_setting.ping_interval_seconds': { ...COUNT, fallback: '60', min: 1 },
  StreamCacheQueueLength: COUNT,
  FileUploadPermission: COUNT,
  FileDownloadPermission: COUNT,
  ImageUploadPermission: COUNT,
  ImageDownloadPermission: COUNT,
} as const satisfies OptionRows;
