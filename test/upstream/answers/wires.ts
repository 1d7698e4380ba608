/** How each dialect frames its streams. */
import { chunkFrame, exceptionFrame } from '../clouds/aws-event-stream.ts';
import { converseFrame } from '../clouds/bedrock-converse.ts';
import type { Chunk } from './chunk.ts';
import { detailOf, errorObject } from './error-bodies.ts';

/** A dialect's stream framing and the form of errors within a stream. */
export interface Wire {
  /** Events have their type as a name, or the returned name. */
  readonly named: boolean | ((body: object) => string | undefined);
  /** JSON lines instead of events. */
  readonly lines?: boolean;
  /** The stream ends with a `[DONE]` marker. */
  readonly done: boolean;
  readonly error: object;
  /** Binary frames. */
  readonly binary?: BinaryWire;
}

export interface BinaryWire {
  readonly contentType: string;
  frame(body: Chunk['body']): Buffer;
  error(): Buffer;
}

export const OPENAI_WIRE: Wire = {
  named: false,
  done: true,
  error: errorObject(detailOf({ status: 500 })),
};
/** OpenAI's framing of images, audio and transcripts. */
export const NAMED_WIRE: Wire = { ...OPENAI_WIRE, named: true, done: false };
export const UNNAMED_WIRE: Wire = { ...OPENAI_WIRE, done: false };
export const ANTHROPIC_WIRE: Wire = {
  named: true,
  done: false,
  error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
};
export const GEMINI_WIRE: Wire = {
  named: false,
  done: false,
  error: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
};
export const RESPONSES_WIRE: Wire = {
  named: true,
  done: false,
  error: { type: 'error', code: 'server_error', message: 'The server had an error.', param: null },
};

const AWS = {
  contentType: 'application/vnd.amazon.eventstream',
  error: () => exceptionFrame('throttlingException', 'Too many tokens, please wait.'),
} as const;

/** Claude on Bedrock: its own events in AWS frames. */
export const INVOKE_WIRE: Wire = { ...ANTHROPIC_WIRE, binary: { ...AWS, frame: chunkFrame } };
export const CONVERSE_WIRE: Wire = {
  ...ANTHROPIC_WIRE,
  binary: { ...AWS, frame: converseFrame },
};
