/** Chat completions, streamed and non-streamed, in the formats of OpenAI and Azure. */
import { frameSet } from '../../answers/frame-set.ts';
import { type Composed, framedAnswer, type Setting } from '../../answers/framed-answer.ts';
import type { ChatBody } from './request-fields.ts';

/** All responses have the same date, so that equal requests get equal bytes. */
export const CREATED_AT_SEC = 1_767_225_600;

const SAFE = { filtered: false, severity: 'safe' } as const;
const FILTER_RESULTS = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE } as const;
const PROMPT_FILTER = [{ prompt_index: 0, content_filter_results: FILTER_RESULTS }] as const;

const FRAMES = frameSet('chat');

export function composeChat(body: ChatBody, setting: Setting): Composed {
  const { azure, plan } = setting;
  const own = { ...setting, id: `chatcmpl-${setting.id}` };
  return framedAnswer(FRAMES, body, own, (_usage, { index, pieces, refused, calls }) => {
    const text = pieces.join('');
    const hasNoText = refused || calls.length > 0;
    const logprobs = (some: readonly string[]) =>
      body.logprobs ? logprobsOf(some, refused, body) : null;
    return {
      content: hasNoText ? null : text,
      opening: hasNoText ? null : '',
      refused: refused ? text : null,
      tier: body.service_tier && body.service_tier !== 'auto' ? body.service_tier : 'default',
      logprobs: logprobs(pieces),
      pieceLogprobs: (piece: string) => logprobs([piece]),
      filter: azure ? FILTER_RESULTS : undefined,
      promptFilter: azure && index === 0 ? PROMPT_FILTER : undefined,
      lateFilter: plan.asyncFilter && index === 0 ? FILTER_RESULTS : undefined,
    };
  });
}

function logprobsOf(pieces: readonly string[], refused: boolean, body: ChatBody) {
  const tokens = pieces.map((piece) => {
    const token = { token: piece, logprob: -0.125, bytes: [...Buffer.from(piece)] };
    const others = Array.from({ length: body.top_logprobs ?? 0 }, (_, rank) => ({
      ...token,
      logprob: -0.125 - rank,
    }));
    return { ...token, top_logprobs: others };
  });
  return { content: refused ? null : tokens, refusal: refused ? tokens : null };
}
