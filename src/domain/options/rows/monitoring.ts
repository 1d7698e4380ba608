/** Options for disabling and re-enabling channels, for alerts and for low-quota notices to users. */
import type { OptionRows } from '../row.ts';

/** Phrases in providers' errors for a key or account that will not recover by itself. */
const DEFAULT_KEYWORDS = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
].join('\n');

export const monitoringOptions = {
  ChannelDisableThreshold: {
    type: 'number',
    fallback: '5',
    role: 10,
    min: 0,
    summary: 'Seconds after which a channel test counts as failed; 0 means no limit.',
  },
  AutomaticDisableChannelEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Disables channels whose errors show that the key or account no longer works.',
  },
  AutomaticEnableChannelEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Enables automatically disabled channels again when a test passes.',
  },
  AutomaticDisableKeywords: {
    type: 'lines',
    fallback: DEFAULT_KEYWORDS,
    role: 10,
    summary:
      'Phrases in upstream errors, but not in the request, that disable a key; one per line.',
  },
  ChannelTestFrequency: {
    type: 'int',
    fallback: '',
    role: 10,
    min: 0,
    blank: true,
    summary: 'Minutes between two tests of all channels; 0: never, empty: by environment variable.',
  },
  ChannelUpdateFrequency: {
    type: 'int',
    fallback: '',
    role: 10,
    min: 0,
    blank: true,
    summary: 'Minutes between two reads of all balances; 0: never, empty: by environment variable.',
  },
  AlertDestinations: {
    type: 'json',
    fallback: '[]',
    role: 100,
    secret: true,
    shape: 'alert_destinations',
    summary:
      "Mail addresses and chat services that get the site's alerts, besides super administrators.",
  },
  QuotaRemindThreshold: {
    type: 'int',
    fallback: '1000',
    role: 10,
    min: 0,
    summary: 'Balance below which users are warned, unless they set their own threshold.',
  },
} as const satisfies OptionRows;
