/** Anthropic's Messages. */
import type { Dialect } from '../hub/dialect.ts';
import { readAnthropicAnswer, writeAnthropicAnswer } from './answer.ts';
import { AnthropicDecoder } from './decoder.ts';
import { AnthropicEncoder } from './encoder.ts';
import { readAnthropicError, writeAnthropicError } from './errors.ts';
import { writeAnthropicRequest } from './hub-to-request.ts';
import { readAnthropicRequest } from './request-to-hub.ts';

export const ANTHROPIC: Dialect = {
  name: 'anthropic',
  readRequest: (body) => readAnthropicRequest(body),
  writeRequest: writeAnthropicRequest,
  readAnswer: readAnthropicAnswer,
  writeAnswer: writeAnthropicAnswer,
  decoder: (context) => new AnthropicDecoder(context),
  encoder: (context) => new AnthropicEncoder(context),
  readError: readAnthropicError,
  writeError: writeAnthropicError,
};
