/** The answer to a call in the frames of a protocol. */
import { type Choice, chatChoices } from '../content/choices.ts';
import { chatUsage, type Usage } from '../content/usage.ts';
import type { Composed, Setting } from '../dialects/openai/chat-completions.ts';
import type { ChatBody } from '../dialects/openai/request-fields.ts';
import type { FrameSet } from './frame-set.ts';

/** Values besides those that all protocols have. */
export type OwnValues = (
  usage: Usage,
  finish: Choice['finish'],
  hasCalls: boolean,
) => Readonly<Record<string, unknown>>;

/** `setting.id` is the id in the frames. */
export function framedAnswer(
  frames: FrameSet,
  chat: ChatBody,
  setting: Setting,
  ownValues: OwnValues = () => ({}),
): Composed {
  const { id, model, plan } = setting;
  const [choice] = chatChoices(chat, plan);
  if (choice === undefined) throw new Error('no answer was requested');
  const usage = chatUsage(chat, [choice]);
  const { prompt_tokens: prompt, completion_tokens: completion = 0, total_tokens: total } = usage;
  const reason = choice.finish === 'length' ? 'length' : 'stop';
  const values = {
    ...{ id, model, usage, prompt, completion, total, reason },
    ...ownValues(usage, choice.finish, choice.calls.length > 0),
  };
  return {
    usage,
    get plain() {
      return frames.whole(choice, values);
    },
    get stream() {
      const head = { id, object: '', created: 0, model };
      return { head, usage, chunks: frames.stream(choice, values) };
    },
  };
}
