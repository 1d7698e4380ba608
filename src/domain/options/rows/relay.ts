/**
 * Options for relaying model calls. The last five are kept because existing installations store
 * them; they are never read.
 */
import type { OptionRows } from '../row.ts';

export const relayOptions = {
  RetryTimes: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Number of further channels to try after a failed attempt.',
  },
  FirstContentTimeoutSeconds: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: 3600,
    summary: 'Maximum seconds until the first content of a stream; 0 means no separate limit.',
  },
  ChannelAffinity: {
    type: 'choice',
    fallback: 'prompt',
    choices: ['off', 'session', 'prompt'],
    role: 10,
    summary:
      'Keeps a conversation at its channel: by its session id only, or also by its long prompt.',
  },
  ChannelAffinityMinutes: {
    type: 'int',
    fallback: '5',
    role: 10,
    min: 1,
    max: 1440,
    summary: 'Minutes without a call after which a conversation may change its channel.',
  },
  KeyRestSeconds: {
    type: 'int',
    fallback: '30',
    role: 10,
    min: 0,
    max: 300,
    summary: 'Cooldown in seconds of a refused key of several, if the upstream gives no time.',
  },
  'global.pass_through_request_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Forwards request bodies unchanged, except for a mapped model name.',
  },
  'global.hide_upstream_error_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Hides error texts of upstreams from callers.',
  },
  'global.block_browser_extension_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Refuses calls from browser extensions.',
  },
  'general_setting.ping_interval_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary:
      'Sends comment lines in silent streams to keep them open, also before the upstream answers.',
  },
  'general_setting.ping_interval_seconds': {
    type: 'int',
    fallback: '60',
    role: 10,
    min: 1,
    summary:
      'Seconds of silence before such a comment line is sent; fewer than the proxy in front waits.',
  },
  StreamCacheQueueLength: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Has no effect; kept for older installations.',
  },
  FileUploadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Has no effect; kept for older installations.',
  },
  FileDownloadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Has no effect; kept for older installations.',
  },
  ImageUploadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Has no effect; kept for older installations.',
  },
  ImageDownloadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    summary: 'Has no effect; kept for older installations.',
  },
} as const satisfies OptionRows;
