import type { AnswerContext, DialectPair } from '../../dialects/hub/dialect.ts';

export interface DialectReading {
  readonly pair: DialectPair;
  readonly context: AnswerContext;
  /** The client's model name, if the upstream request used another. */
  readonly clientModel: string | undefined;
  readonly thinkingToContent: boolean;
  /** The upstream's text contains reasoning between tags. */
  readonly thinkTags: boolean;
  /** The upstream's token counts are unreliable. */
  readonly ignoresUsage: boolean;
  /** Events that are not part of the answer. */
  readonly isSideEvent: (event: string) => boolean;
  /** Stores the signature of a call, for which the client's dialect has no field. */
  readonly onSignature: (callId: string, signature: string) => void;
}
