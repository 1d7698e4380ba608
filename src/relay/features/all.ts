/** All features of the relay, in the order in which their hooks run. */
import type { Feature } from './feature.ts';
import { forms } from './forms/forms.ts';
import { media } from './media/fetch-media.ts';
import { polling } from './polling/polling.ts';
import { refusedThinking } from './refused-thinking/refused-thinking.ts';
import { responses } from './responses/responses.ts';
import { sensitiveWords } from './sensitive-words/sensitive-words.ts';
import { signatures } from './signatures/recall-signatures.ts';
import { uploads } from './uploads/upload-files.ts';

export const FEATURES = {
  forms,
  sensitiveWords,
  responses,
  media,
  signatures,
  uploads,
  refusedThinking,
  polling,
} as const satisfies Readonly<Record<string, Feature>>;
