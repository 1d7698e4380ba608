/** Legacy text completions. */
import { frameSet } from '../../answers/frame-set.ts';
import { type Composed, framedChoices, type Setting } from '../../answers/framed-answer.ts';
import { completionChoices } from '../../content/choices.ts';
import { completionUsage } from '../../content/usage.ts';
import type { CompletionBody } from './request-fields.ts';

const FRAMES = frameSet('completions');

export function composeCompletion(body: CompletionBody, setting: Setting): Composed {
  const choices = completionChoices(body, setting.plan);
  return framedChoices(FRAMES, choices, completionUsage(body, choices), ({ pieces }) => {
    let streamed = 0;
    return {
      id: `cmpl-${setting.id}`,
      model: setting.model,
      logprobs: logprobsOf(pieces, body, 0),
      pieceLogprobs: (piece: string) => {
        streamed += piece.length;
        return logprobsOf([piece], body, streamed - piece.length);
      },
    };
  });
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
