/**
 * Options for relaying model calls. The last five are kept because existing installations store
 * them; they are never read.
 */
import type { OptionRows } from '../row.ts';

export const relayOptions = {
  RetryTimes: { type: 'int', fallback: '0', role: 10, min: 0 },
  FirstContentTimeoutSeconds: { type: 'int', fallback: '0', role: 10, min: 0, max: 3600 },
  ChannelAffinity: {
    type: 'choice',
    fallback: 'prompt',
    choices: ['off', 'session', 'prompt'],
    role: 10,
  },
  ChannelAffinityMinutes: { type: 'int', fallback: '5', role: 10, min: 1, max: 1440 },
  KeyRestSeconds: { type: 'int', fallback: '30', role: 10, min: 0, max: 300 },
  'global.pass_through_request_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'global.hide_upstream_error_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'global.block_browser_extension_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'general_setting.ping_interval_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'general_setting.ping_interval_seconds': { type: 'int', fallback: '60', role: 10, min: 1 },
  StreamCacheQueueLength: { type: 'int', fallback: '0', role: 10, min: 0 },
  FileUploadPermission: { type: 'int', fallback: '0', role: 10, min: 0 },
  FileDownloadPermission: { type: 'int', fallback: '0', role: 10, min: 0 },
  ImageUploadPermission: { type: 'int', fallback: '0', role: 10, min: 0 },
  ImageDownloadPermission: { type: 'int', fallback: '0', role: 10, min: 0 },
} as const satisfies OptionRows;
