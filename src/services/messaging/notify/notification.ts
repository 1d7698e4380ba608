/** Notices that the site sends by itself, as text and as data. */
import { createHmac } from 'node:crypto';
import type { BudgetPeriod } from '../../../domain/budgets/budget.ts';
import type { Reason } from '../../../domain/logs/reasons.ts';
import { type EventAudience, reasonText } from '../../../locales/event-text.ts';
import { translator } from '../../../locales/text.ts';

export interface Notification {
  /** Identifies the kind of notice to webhook receivers. */
  readonly type: string;
  readonly title: string;
  /** Plain text; each `{{value}}` stands for the next of `values`. */
  readonly content: string;
  readonly values: readonly string[];
}

const PLACEHOLDER = '{{value}}';

type NotificationText =
  | 'quota_low'
  | 'quota_used_up'
  | 'channel_disabled'
  | 'channel_enabled'
  | 'budget_near'
  | 'budget_full'
  | 'channel_failing'
  | 'models_down'
  | 'models_back'
  | 'channels_tested'
  | 'prices_moved'
  | 'prices_taken'
  | 'spend_unusual'
  | 'site_spend_unusual'
  | 'ledger_differs'
  | 'payment_failed'
  | 'weekly_digest'
  | 'site_digest'
  | 'test'
  | 'test_mail'
  | 'destination_failed'
  | 'undelivered';

/** What a notice says, before it is worded for a receiver. */
export interface NotificationFacts {
  readonly type: string;
  readonly text: NotificationText;
  readonly values: readonly (string | Reason | { readonly period: BudgetPeriod })[];
}

export function notificationIn(
  reader: EventAudience,
  { type, text, values }: NotificationFacts,
): Notification {
  const translate = translator(reader.language);
  return {
    type,
    title: translate(`notices.${text}.title`),
    content: translate(`notices.${text}.content`, { value: PLACEHOLDER }),
    values: values.map((each) => {
      if (typeof each === 'string') return each;
      return 'period' in each
        ? translate(`budget_periods.${each.period}`)
        : reasonText(each, reader);
    }),
  };
}

/** The content with its values filled in. */
export function plainText({ content, values }: Notification): string {
  return fillValues(content, values, (text) => text);
}

/** The content as an HTML mail body: URLs become links, everything else is escaped text. */
export function htmlText({ content, values }: Notification): string {
  const body = fillValues(escapeHtml(content), values, (value) => {
    const text = escapeHtml(value);
    return /^https?:\/\/\S+$/.test(value) ? `<a href="${text}">${text}</a>` : text;
  });
  return `<p>${body.replaceAll('\n', '<br>')}</p>`;
}

function fillValues(
  content: string,
  values: readonly string[],
  shown: (value: string) => string,
): string {
  const parts = content.split(PLACEHOLDER);
  return parts.map((part, index) => part + shownAt(values[index], shown)).join('');
}

function shownAt(value: string | undefined, shown: (value: string) => string): string {
  return value === undefined ? '' : shown(value);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The body of a webhook: placeholders stay in the content, and the values are sent separately. */
export function webhookBody(notice: Notification, timestampSec: number): string {
  const { type, title, content, values } = notice;
  return JSON.stringify({ type, title, content, values, timestamp: timestampSec });
}

/** Characters allowed in a header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** Both methods by which receivers verify the sender of a webhook; none without a secret. */
export function webhookAuthHeaders(secret: string, body: string): Readonly<Record<string, string>> {
  if (secret === '') return {};
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const proof = { 'X-Webhook-Signature': signature };
  return HEADER_TEXT.test(secret) ? { ...proof, Authorization: `Bearer ${secret}` } : proof;
}
