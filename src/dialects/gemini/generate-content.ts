/** Google's generateContent and streamGenerateContent. */
import type { Dialect } from '../hub/dialect.ts';
import { contextOf, hasSeveral, SeveralDecoder, SeveralEncoder } from '../hub/several.ts';
import { readGeminiAnswer, writeGeminiAnswer } from './answer.ts';
import { GeminiDecoder } from './decoder.ts';
import { GeminiEncoder } from './encoder.ts';
import { readGeminiError, writeGeminiError } from './errors.ts';
import { writeGeminiRequest } from './hub-to-request.ts';
import { readGeminiRequest } from './request-to-hub.ts';

export const GEMINI: Dialect = {
  name: 'gemini',
  readRequest: readGeminiRequest,
  writeRequest: writeGeminiRequest,
  readAnswer: readGeminiAnswer,
  writeAnswer: writeGeminiAnswer,
  decoder: (context) =>
    hasSeveral(context)
      ? new SeveralDecoder('candidates', (index) => new GeminiDecoder(contextOf(context, index)))
      : new GeminiDecoder(context),
  encoder: (context) => {
    if (!hasSeveral(context)) return new GeminiEncoder(context);
    const list = { isOpen: false };
    return new SeveralEncoder((index) => new GeminiEncoder(context, index, list));
  },
  readError: readGeminiError,
  writeError: writeGeminiError,
};
