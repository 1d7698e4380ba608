/** The attempts of a call as readers get them: failures that the gateway states itself in words. */
import { isObject, type JsonObject } from '../../json/read-json.ts';
import { type EventAudience, recordedText } from '../../locales/event-text.ts';

/** Attempts of earlier versions, and those with words of an upstream, keep their message. */
export function wordedAttempts(attempts: readonly unknown[], reader: EventAudience): JsonObject[] {
  return attempts.filter(isObject).map((attempt) => {
    const { reason } = attempt;
    const words = isObject(reason) ? recordedText(reason, reader) : undefined;
    return words === undefined ? attempt : { ...attempt, message: words };
  });
}
