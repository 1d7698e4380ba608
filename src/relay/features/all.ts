/** All features of the relay, in the order in which their hooks run. */
import type { Feature } from './feature.ts';
import { media } from './media/fetch-media.ts';
import { refusedThinking } from './refused-thinking/refused-thinking.ts';
import { responses } from './responses/responses.ts';
import { signatures } from './signatures/recall-signatures.ts';
import { uploads } from './uploads/upload-files.ts';

export const FEATURES = {
  responses,
  media,
  signatures,
  uploads,
  refusedThinking,
} as const satisfies Readonly<Record<string, Feature>>;
