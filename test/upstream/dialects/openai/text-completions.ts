/** Legacy text completions. */

import { type Chunk, type ChunkHead, interleave } from '../../answers/chunk.ts';
import { type Choice, completionChoices } from '../../content/choices.ts';
import { tokensIn } from '../../content/text.ts';
import { completionUsage } from '../../content/usage.ts';
import { type Composed, CREATED_AT_SEC, type Setting } from './chat-completions.ts';
import type { CompletionBody } from './request-fields.ts';

export function composeCompletion(body: CompletionBody, setting: Setting): Composed {
  const choices = completionChoices(body, setting.plan);
  const usage = completionUsage(body, choices);
  const head: ChunkHead = {
    id: `cmpl-${setting.id}`,
    object: 'text_completion',
    created: CREATED_AT_SEC,
    model: setting.model,
  };
  return {
    usage,
    get plain() {
      return { ...head, choices: choices.map((choice) => plainChoice(choice, body)) };
    },
    get stream() {
      const parts = interleave(choices.map((choice) => partChunks(choice, body, head)));
      const ends = choices.map((choice) => chunkOf(head, choice.index, '', choice.finish));
      return { head, usage, chunks: [...parts, ...ends] };
    },
  };
}

function plainChoice(choice: Choice, body: CompletionBody) {
  return {
    index: choice.index,
    text: choice.pieces.join(''),
    logprobs: logprobsOf(choice.pieces, body, 0),
    finish_reason: choice.finish,
  };
}

/** `from` is the offset of the first piece within the whole text. */
function logprobsOf(pieces: readonly string[], body: CompletionBody, from: number) {
  if (body.logprobs === null || body.logprobs === undefined) return null;
  let offset = from;
  return {
    tokens: pieces,
    token_logprobs: pieces.map(() => -0.125),
    top_logprobs: pieces.map((piece) => (body.logprobs ? { [piece]: -0.125 } : {})),
    text_offset: pieces.map((piece) => {
      offset += piece.length;
      return offset - piece.length;
    }),
  };
}

function partChunks(choice: Choice, body: CompletionBody, head: ChunkHead): Chunk[] {
  let offset = 0;
  return choice.pieces.map((piece) => {
    const logprobs = logprobsOf([piece], body, offset);
    offset += piece.length;
    const part = { index: choice.index, text: piece, logprobs, finish_reason: null };
    return { body: { ...head, choices: [part] }, tokens: tokensIn(piece), finishes: false };
  });
}

function chunkOf(head: ChunkHead, index: number, text: string, finish: string): Chunk {
  const part = { index, text, logprobs: null, finish_reason: finish };
  return { body: { ...head, choices: [part] }, tokens: 0, finishes: true };
}
