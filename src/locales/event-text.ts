/** Words recorded events: in the reader's language, with amounts as the site displays them. */
import { AppError } from '../domain/errors/errors.ts';
import {
  type BudgetSubjectName,
  type ChannelSet,
  eventIn,
  type GatewayEvent,
  type ParamKind,
  paramKinds,
} from '../domain/logs/events.ts';
import { errorIn, type Reason, recordedError } from '../domain/logs/reasons.ts';
import { type QuotaStyle, quotaText } from '../domain/pricing/quota-text.ts';
import { parsedObject } from '../json/parse-json-object.ts';
import {
  errorText,
  fieldLabel,
  identityProviderName,
  type Language,
  listText,
  type Translate,
  translator,
} from './text.ts';

/** For whom an event is worded. */
export interface EventAudience {
  readonly language: Language;
  readonly quota: QuotaStyle;
  /** Texts of upstreams are replaced, as the operator hides them from this reader. */
  readonly hidesUpstream?: boolean;
}

export function eventText({ event, params }: GatewayEvent, reader: EventAudience): string {
  const t = translator(reader.language);
  const kinds = paramKinds(event);
  const shown = Object.entries(params ?? {}).map(([name, value]) => [
    name,
    shownParam(kinds[name] ?? 'text', value, t, reader),
  ]);
  return t(`events.${event}`, Object.fromEntries(shown));
}

function shownParam(
  kind: ParamKind,
  value: unknown,
  t: Translate,
  reader: EventAudience,
): string | number {
  switch (kind) {
    case 'units':
      return quotaText(Number(value), reader.quota);
    case 'cents':
      return (Number(value) / 100).toFixed(2);
    case 'moment':
      return new Date(Number(value) * 1000).toISOString().replace(/T(.*)\.000Z$/, ' $1 UTC');
    case 'fields':
      return listText(
        (value as readonly string[]).map((name) => fieldLabel(name, t)), // see `ParamValues`, here and below
        t,
      );
    case 'values':
      return listText(
        Object.entries(value as Readonly<Record<string, string | number>>).map(
          ([name, each]) => `${fieldLabel(name, t)} ${each}`,
        ),
        t,
      );
    case 'channels':
      return channelsText(value as ChannelSet, t);
    case 'provider':
      return identityProviderName(String(value), t);
    case 'subject':
      return subjectText(value as BudgetSubjectName | string, t);
    case 'reason':
      return storedText(String(value), reader);
    case 'count':
      return Number(value);
    default:
      return String(value);
  }
}

function channelsText({ count, id, name = '' }: ChannelSet, t: Translate): string {
  return id === undefined
    ? t('event_parts.channels', { count })
    : t('event_parts.channel', { id, name });
}

function subjectText(subject: BudgetSubjectName | string, t: Translate): string {
  if (typeof subject === 'string') return subject;
  return `${t(`budget_subjects.${subject.kind}`)} ${subject.name}`.trim();
}

/** An event, or a recorded error, as it is stored in a column of texts. */
export function storedEvent(event: Reason): string {
  return JSON.stringify(event);
}

/** An error as it is stored in a column of texts. */
export function storedError(error: AppError): string {
  return storedEvent(recordedError(error));
}

/** The words of a column with events, errors and texts of upstreams. */
export function storedText(text: string, reader: EventAudience): string {
  if (isStoredReason(text)) return recordedText(parsedObject(text), reader) ?? text;
  const isHidden = reader.hidesUpstream === true && text !== '';
  return isHidden ? translator(reader.language)('event_parts.hidden_upstream') : text;
}

/** Whether a column has an event or error of the gateway, not a text of an upstream. */
export function isStoredReason(text: string): boolean {
  return text.startsWith('{"event":') || text.startsWith('{"error":');
}

export function reasonText(reason: Reason, reader: EventAudience): string {
  if ('event' in reason) return eventText(reason, reader);
  return errorText(new AppError(reason.error, reason.params), reader.language);
}

/** The words of the event or error among stored facts; undefined if there is none. */
export function recordedText(
  facts: Readonly<Record<string, unknown>>,
  reader: EventAudience,
): string | undefined {
  const event = eventIn(facts);
  if (event !== undefined) return eventText(event, reader);
  const error = errorIn(facts);
  return error && errorText(error, reader.language);
}
