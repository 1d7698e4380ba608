/** The answer to a call in the frames of a protocol. */
import { type Choice, chatChoices } from '../content/choices.ts';
import { chatUsage, type Usage } from '../content/usage.ts';
import type { ChatBody } from '../dialects/openai/request-fields.ts';
import type { Plan } from '../plans/plan.ts';
import type { Chunk } from './chunk.ts';
import type { FrameSet } from './frame-set.ts';

/** Everything except the request body that affects a response. */
export interface Setting {
  readonly id: string;
  readonly model: string;
  readonly plan: Plan;
  readonly azure?: boolean | undefined;
}

/** Both forms are composed only when they are read. */
export interface Composed {
  readonly usage: Usage;
  readonly plain: Readonly<Record<string, unknown>>;
  readonly chunks: readonly Chunk[];
}

type Values = Readonly<Record<string, unknown>>;

/** Values besides those that all protocols have. */
export type OwnValues = (usage: Usage, choice: Choice) => Values;

/** `setting.id` is the id in the frames. */
export function framedAnswer(
  frames: FrameSet,
  chat: ChatBody,
  setting: Setting,
  ownValues: OwnValues = () => ({}),
): Composed {
  const { id, model, plan } = setting;
  const choices = chatChoices(chat, plan);
  const usage = chatUsage(chat, choices);
  const { prompt_tokens: prompt, completion_tokens: completion = 0, total_tokens: total } = usage;
  return framedChoices(frames, choices, usage, (choice) => ({
    ...{ id, model, usage, prompt, completion, total },
    reason: choice.finish === 'length' ? 'length' : 'stop',
    ...ownValues(usage, choice),
  }));
}

export function framedChoices(
  frames: FrameSet,
  choices: readonly Choice[],
  usage: Usage,
  valuesOf: (choice: Choice) => Values,
): Composed {
  return {
    usage,
    get plain() {
      const wholes = choices.map((choice) => frames.whole(choice, valuesOf(choice)));
      const [whole = {}] = wholes;
      return wholes.length === 1
        ? whole
        : { ...whole, choices: wholes.flatMap(({ choices }) => choices) };
    },
    get chunks() {
      return interleaved(choices.map((choice) => frames.stream(choice, valuesOf(choice))));
    },
  };
}

/** Choices of one call arrive interleaved, and end together. */
function interleaved(lists: readonly (readonly Chunk[])[]): readonly Chunk[] {
  const [only = []] = lists;
  if (lists.length === 1) return only;
  const longest = Math.max(...lists.map((list) => list.length)) - 1;
  const parts = Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => list.slice(0, -1)[at] ?? []),
  );
  return [...parts.flat(), ...lists.flatMap((list) => list.slice(-1))];
}
