import type { AnswerContext } from '../../dialects/hub/dialect.ts';
import type { Speech } from '../call/dialect-pair.ts';

export interface DialectReading {
  readonly speech: Speech;
  readonly context: AnswerContext;
  /** The name the client knows, when the upstream was asked for another. */
  readonly clientModel: string | undefined;
  readonly thinkingToContent: boolean;
  /** The upstream's text holds thoughts between tags. */
  readonly thinkTags: boolean;
  /** The upstream's counts mean nothing. */
  readonly ignoresUsage: boolean;
  /** Events that are no part of the answer. */
  readonly isBeside: (event: string) => boolean;
  /** Remembers what the client has no field for. */
  readonly onSignature: (callId: string, signature: string) => void;
}
