/** Words recorded events: in the reader's language, with amounts as the site displays them. */
import { AppError, ERRORS, type ErrorCode, type ErrorParams } from '../domain/errors/errors.ts';
import {
  type ChannelSet,
  eventIn,
  type GatewayEvent,
  type ParamKind,
  paramKinds,
} from '../domain/logs/events.ts';
import { type QuotaStyle, quotaText } from '../domain/pricing/quota-text.ts';
import { parsedObject } from '../json/parse-json-object.ts';
import { errorText, fieldLabel, type Language, type Translate, translator } from './text.ts';

/** For whom an event is worded. */
export interface EventAudience {
  readonly language: Language;
  readonly quota: QuotaStyle;
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
      return (value as readonly string[]) // see `ParamValues`, here and below
        .map((name) => fieldLabel(name, t))
        .join(t('event_parts.separator'));
    case 'values':
      return Object.entries(value as Readonly<Record<string, string | number>>)
        .map(([name, each]) => `${fieldLabel(name, t)} ${each}`)
        .join(t('event_parts.separator'));
    case 'channels':
      return channelsText(value as ChannelSet, t);
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

/** An event as it is stored in a column of texts. */
export function storedEvent(event: GatewayEvent): string {
  return JSON.stringify(event);
}

/** An error as it is stored in a column of texts. */
export function storedError({ code, params }: AppError): string {
  return JSON.stringify({ error: code, params });
}

/** The words of a column with events, errors and texts of upstreams. */
export function storedText(text: string, reader: EventAudience): string {
  if (!text.startsWith('{"event":') && !text.startsWith('{"error":')) return text;
  const facts = parsedObject(text);
  const event = eventIn(facts);
  if (event !== undefined) return eventText(event, reader);
  const { error, params } = facts;
  if (typeof error !== 'string' || !Object.hasOwn(ERRORS, error)) return text;
  const known = new AppError(error as ErrorCode, Object(params) as ErrorParams); // as stored above
  return errorText(known, reader.language);
}
