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
  ChannelDisableThreshold: { type: 'number', fallback: '5', role: 10, min: 0 },
  AutomaticDisableChannelEnabled: { type: 'bool', fallback: 'false', role: 10 },
  AutomaticEnableChannelEnabled: { type: 'bool', fallback: 'false', role: 10 },
  AutomaticDisableKeywords: { type: 'lines', fallback: DEFAULT_KEYWORDS, role: 10 },
  ChannelTestFrequency: { type: 'int', fallback: '', role: 10, min: 0, blank: true },
  ChannelUpdateFrequency: { type: 'int', fallback: '', role: 10, min: 0, blank: true },
  AlertDestinations: {
    type: 'json',
    fallback: '[]',
    role: 100,
    secret: true,
    shape: 'alert_destinations',
  },
  QuotaRemindThreshold: { type: 'int', fallback: '1000', role: 10, min: 0 },
} as const satisfies OptionRows;
