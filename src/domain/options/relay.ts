/**
 * How a model call is carried. The last five are kept because existing installations store them;
 * nothing reads them.
 */
import type { OptionRows } from './row.ts';

export const relayOptions = {
  RetryTimes: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'relay',
    min: 0,
    summary: 'Further channels tried after a failed attempt.',
  },
  'global.pass_through_request_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'relay',
    summary: "Sends the caller's body unchanged, but for a mapped model name.",
  },
  'global.hide_upstream_error_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'relay',
    summary: "Hides the upstream's own error text from callers.",
  },
  'global.block_browser_extension_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'relay',
    summary: 'Refuses calls made by browser extensions.',
  },
  'general_setting.ping_interval_enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'relay',
    summary: 'Keeps silent streams open with comment lines.',
  },
  'general_setting.ping_interval_seconds': {
    type: 'int',
    fallback: '60',
    role: 10,
    group: 'relay',
    min: 1,
    summary: 'Silence in seconds before a stream gets such a line.',
  },
  StreamCacheQueueLength: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'relay',
    min: 0,
    summary: 'Kept for older installations; without effect.',
  },
  FileUploadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'relay',
    min: 0,
    summary: 'Kept for older installations; without effect.',
  },
  FileDownloadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'relay',
    min: 0,
    summary: 'Kept for older installations; without effect.',
  },
  ImageUploadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'relay',
    min: 0,
    summary: 'Kept for older installations; without effect.',
  },
  ImageDownloadPermission: {
    type: 'int',
    fallback: '0',
    role: 10,
    group: 'relay',
    min: 0,
    summary: 'Kept for older installations; without effect.',
  },
} as const satisfies OptionRows;
