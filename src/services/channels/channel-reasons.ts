/** Why the gateway disabled a channel or key, or put a key in cooldown: stored as code and parameters. */
import { upstreamStatusError } from '../../domain/errors/upstream-status.ts';
import { type Reason, recordedError } from '../../domain/logs/reasons.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { type EventAudience, storedEvent, storedText } from '../../locales/event-text.ts';

/** Length of the columns. */
const REASON_LENGTH = 255;

/** The reason in an error of the upstream, whose message stays in its own words. */
export function refusalReason(error: {
  readonly status: number;
  readonly message: string;
}): Reason {
  const { status } = error;
  if (error.message === '') return recordedError(upstreamStatusError(error));
  const message = storableText(error.message.slice(0, REASON_LENGTH));
  return { event: 'upstream_refused', params: { status, message } };
}

/** The reason as it is stored; a long message of an upstream is cut. */
export function storedReason(reason: Reason): string {
  const stored = storedEvent(reason);
  const excess = stored.length - REASON_LENGTH;
  if (excess <= 0 || !('event' in reason) || reason.event !== 'upstream_refused') return stored;
  const { status, message } = reason.params;
  return storedEvent(refusalReason({ status, message: message.slice(0, -excess) }));
}

/** `other_info` of a channel with its reason in words. */
export function wordedStatusInfo(otherInfo: string, reader: EventAudience): string {
  if (!/"(event|error)/.test(otherInfo)) return otherInfo;
  const info = parsedObject(otherInfo);
  const { status_reason: reason } = info;
  if (typeof reason !== 'string') return otherInfo;
  return JSON.stringify({ ...info, status_reason: storedText(reason, reader) });
}
