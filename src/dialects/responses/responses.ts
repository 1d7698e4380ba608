/** OpenAI's Responses. */
import type { Dialect } from '../hub/dialect.ts';
import { readResponsesAnswer, writeResponsesAnswer } from './answer.ts';
import { ResponsesDecoder } from './decoder.ts';
import { ResponsesEncoder } from './encoder.ts';
import { readResponsesError, writeResponsesError } from './errors.ts';
import { writeResponsesRequest } from './hub-to-request.ts';
import { readResponsesRequest } from './request-to-hub.ts';

export const RESPONSES: Dialect = {
  name: 'responses',
  readRequest: (body) => readResponsesRequest(body),
  writeRequest: writeResponsesRequest,
  readAnswer: readResponsesAnswer,
  writeAnswer: writeResponsesAnswer,
  decoder: (context) => new ResponsesDecoder(context),
  encoder: (context) => new ResponsesEncoder(context),
  readError: readResponsesError,
  writeError: writeResponsesError,
};
